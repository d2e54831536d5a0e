import type { Platform } from "@sealway/http"
import { loadOnce } from "@sealway/kernel"
import type { AwsHostOptions } from "./aws-host.ts"
import type { CodeStore, FunctionHost } from "./host.ts"

export interface FunctionHostingOptions extends AwsHostOptions {
  /** The bucket for the source of functions. */
  readonly codeBucket: string
}

/** Returns where functions run, and where their source is kept. */
export function createFunctionHosting(
  { connect, openObjects }: Pick<Platform, "connect" | "openObjects">,
  { codeBucket, ...options }: FunctionHostingOptions,
): { readonly host: FunctionHost; readonly code: CodeStore } {
  // The first call loads the clients: they take 16 MiB and a twentieth of a start, and few processes call them.
  const host = loadOnce(async () => (await import("./aws-host.ts")).createAwsHost(connect, options))
  return {
    host: {
      create: async (program) => (await host()).create(program),
      stateOf: async (name) => (await host()).stateOf(name),
      invoke: async (...call) => (await host()).invoke(...call),
      remove: async (name) => (await host()).remove(name),
      logs: async (name, since, limit, after) => (await host()).logs(name, since, limit, after),
    },
    code: openObjects(codeBucket),
  }
}
