// spirv.ts - SPIR-V as lines that people can read: what it begins with, then an instruction each.

const magic = 0x07230203;

// Names of the instructions that compute shaders are mostly made of; others are shown by their number.
const names: Record<number, string> = {
  0: "Nop",
  1: "Undef",
  3: "Source",
  4: "SourceExtension",
  5: "Name",
  6: "MemberName",
  7: "String",
  8: "Line",
  10: "Extension",
  11: "ExtInstImport",
  12: "ExtInst",
  14: "MemoryModel",
  15: "EntryPoint",
  16: "ExecutionMode",
  17: "Capability",
  19: "TypeVoid",
  20: "TypeBool",
  21: "TypeInt",
  22: "TypeFloat",
  23: "TypeVector",
  24: "TypeMatrix",
  28: "TypeArray",
  29: "TypeRuntimeArray",
  30: "TypeStruct",
  32: "TypePointer",
  33: "TypeFunction",
  41: "ConstantTrue",
  42: "ConstantFalse",
  43: "Constant",
  44: "ConstantComposite",
  46: "ConstantNull",
  48: "SpecConstantTrue",
  49: "SpecConstantFalse",
  50: "SpecConstant",
  51: "SpecConstantComposite",
  52: "SpecConstantOp",
  54: "Function",
  55: "FunctionParameter",
  56: "FunctionEnd",
  57: "FunctionCall",
  59: "Variable",
  61: "Load",
  62: "Store",
  63: "CopyMemory",
  65: "AccessChain",
  66: "InBoundsAccessChain",
  68: "ArrayLength",
  71: "Decorate",
  72: "MemberDecorate",
  77: "VectorExtractDynamic",
  79: "VectorShuffle",
  80: "CompositeConstruct",
  81: "CompositeExtract",
  82: "CompositeInsert",
  83: "CopyObject",
  109: "ConvertFToU",
  110: "ConvertFToS",
  111: "ConvertSToF",
  112: "ConvertUToF",
  113: "UConvert",
  114: "SConvert",
  115: "FConvert",
  124: "Bitcast",
  126: "SNegate",
  127: "FNegate",
  128: "IAdd",
  129: "FAdd",
  130: "ISub",
  131: "FSub",
  132: "IMul",
  133: "FMul",
  134: "UDiv",
  135: "SDiv",
  136: "FDiv",
  137: "UMod",
  138: "SRem",
  139: "SMod",
  140: "FRem",
  141: "FMod",
  142: "VectorTimesScalar",
  148: "Dot",
  154: "Any",
  155: "All",
  156: "IsNan",
  157: "IsInf",
  164: "LogicalEqual",
  166: "LogicalOr",
  167: "LogicalAnd",
  168: "LogicalNot",
  169: "Select",
  170: "IEqual",
  171: "INotEqual",
  172: "UGreaterThan",
  173: "SGreaterThan",
  174: "UGreaterThanEqual",
  175: "SGreaterThanEqual",
  176: "ULessThan",
  177: "SLessThan",
  178: "ULessThanEqual",
  179: "SLessThanEqual",
  180: "FOrdEqual",
  182: "FOrdNotEqual",
  184: "FOrdLessThan",
  186: "FOrdGreaterThan",
  188: "FOrdLessThanEqual",
  190: "FOrdGreaterThanEqual",
  194: "ShiftRightLogical",
  195: "ShiftRightArithmetic",
  196: "ShiftLeftLogical",
  197: "BitwiseOr",
  198: "BitwiseXor",
  199: "BitwiseAnd",
  200: "Not",
  224: "ControlBarrier",
  225: "MemoryBarrier",
  227: "AtomicLoad",
  228: "AtomicStore",
  234: "AtomicIAdd",
  245: "Phi",
  246: "LoopMerge",
  247: "SelectionMerge",
  248: "Label",
  249: "Branch",
  250: "BranchConditional",
  251: "Switch",
  253: "Return",
  254: "ReturnValue",
  255: "Unreachable",
};
// Where in the operands a string begins.
const textAt: Record<number, number> = { 4: 0, 5: 1, 6: 2, 7: 1, 10: 0, 11: 1, 15: 2 };

function textOf(words: Uint32Array): { text: string; used: number } {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  const end = bytes.indexOf(0);
  const length = end < 0 ? bytes.length : end;
  return { text: new TextDecoder().decode(bytes.slice(0, length)), used: Math.floor(length / 4) + 1 };
}

// Null where it isn't SPIR-V at all.
export function spirvLines(bytes: ArrayBuffer): string[] | null {
  if (bytes.byteLength < 20 || bytes.byteLength % 4 !== 0) return null;
  const words = new Uint32Array(bytes);
  if (words[0] !== magic) return null;
  const lines = [
    `; SPIR-V ${(words[1] >> 16) & 255}.${(words[1] >> 8) & 255}, generator ${words[2] >> 16}, ids below ${words[3]}, ${words.length} words`,
  ];
  for (let at = 5; at < words.length; ) {
    const length = words[at] >>> 16,
      code = words[at] & 0xffff;
    if (length === 0 || at + length > words.length) {
      lines.push(`; word ${at} is no instruction: the rest is not shown`);
      break;
    }
    const operands = words.subarray(at + 1, at + length),
      text = textAt[code];
    let shown: string[];
    if (text !== undefined && text <= operands.length) {
      const found = textOf(operands.slice(text));
      shown = [...operands.subarray(0, text), JSON.stringify(found.text), ...operands.subarray(text + found.used)].map(
        String,
      );
    } else shown = Array.from(operands, String);
    lines.push(`Op${names[code] ?? code} ${shown.join(" ")}`.trimEnd());
    at += length;
  }
  return lines;
}
