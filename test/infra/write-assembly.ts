import type { App } from "aws-cdk-lib"
import { vi } from "vitest"

/**
 * Writes the assembly of an app without the CDK's validation of templates, which takes most of the time and is tested
 * by `assembly/validation.ts`. What cdk-nag finds fails here too.
 */
export function writeAssembly(app: App): void {
  vi.stubEnv("CDK_VALIDATION", "false")
  try {
    app.synth()
  } finally {
    vi.stubEnv("CDK_VALIDATION", undefined)
  }
}
