import type { AwsClients } from "@sealway/platform"
import type { FunctionHosting, FunctionHostingOptions } from "./aws-hosting.ts"

/**
 * Creates what functions need of AWS. The first call loads the clients: they take 16 MiB and a twentieth of a start, and
 * few processes call them.
 */
export function createFunctionHosting(
  clients: Pick<AwsClients, "connect">,
  options: FunctionHostingOptions,
): FunctionHosting {
  let loading: Promise<FunctionHosting> | undefined
  const load = () => {
    loading ??= import("./aws-hosting.ts").then(({ createAwsHosting }) => createAwsHosting(clients, options))
    return loading
  }
  const host = async () => (await load()).host
  const code = async () => (await load()).code
  return {
    host: {
      create: async (program) => (await host()).create(program),
      stateOf: async (name) => (await host()).stateOf(name),
      invoke: async (...call) => (await host()).invoke(...call),
      remove: async (name) => (await host()).remove(name),
      logs: async (name, since, limit, after) => (await host()).logs(name, since, limit, after),
    },
    code: {
      put: async (key, zip) => (await code()).put(key, zip),
      get: async (key) => (await code()).get(key),
      remove: async (key) => (await code()).remove(key),
    },
  }
}
