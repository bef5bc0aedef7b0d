export function BuffersView() {
  return <p class="nothing">Buffers</p>;
}
