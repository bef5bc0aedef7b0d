export function TimelineView() {
  return <p class="nothing">Timeline</p>;
}
