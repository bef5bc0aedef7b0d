export function KernelsView() {
  return <p class="nothing">Kernels</p>;
}
