import type { PythonTool } from "../python-tool.ts"

/** An emulator of AWS that others wrote. */
export const MINISTACK = {
  packageName: "ministack",
  requirements: ["ministack==1.5.33"],
  command: "ministack",
  variable: "MINISTACK",
  check: ["--help"],
} as const satisfies PythonTool
