export function DependenciesView() {
  return <p class="nothing">Dependencies</p>;
}
