export function CallsView() {
  return <p class="nothing">Calls</p>;
}
