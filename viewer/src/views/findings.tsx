export function FindingsView() {
  return <p class="nothing">Findings</p>;
}
