export function SummaryView() {
  return <p class="nothing">Summary</p>;
}
