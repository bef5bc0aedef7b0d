// names.ts - how sentences name things: as describe_command() and describe_buffer() of the library do.

// "c12 'q_proj' (matmul_f32) in layer0/attention".
export function commandText(command: number, label: string, action: string, scope: string): string {
  const name = label && label !== action ? ` '${label}'` : "";
  return `c${command}${name} (${action})${scope && ` in ${scope}`}`;
}

// "b3 'x'".
export function bufferText(id: string, label: string): string {
  return label && label !== id ? `${id} '${label}'` : id;
}
