export function MemoryView() {
  return <p class="nothing">Memory</p>;
}
