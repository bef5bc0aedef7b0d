export function DiffView() {
  return <p class="nothing">Diff</p>;
}
