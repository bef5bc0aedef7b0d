export function SourceView() {
  return <p class="nothing">Source</p>;
}
