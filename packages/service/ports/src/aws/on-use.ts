import { loadOnce } from "@sealway/kernel"
import type { FunctionHost } from "../ports/function-host.ts"
import type { Objects } from "../ports/objects.ts"
import type { QueueSender } from "../ports/queues.ts"
import type { Connect } from "./connections.ts"
import type { InvokeFunction } from "./lambda-invoker.ts"

// Ports whose first call loads what they are made of. A client of the SDK is a part of a cold start that most requests
// have no use for.

export function objectsOnUse(load: () => Promise<Objects>): Objects {
  const loaded = loadOnce(load)
  return {
    put: async (...call) => (await loaded()).put(...call),
    get: async (...call) => (await loaded()).get(...call),
    readStart: async (...call) => (await loaded()).readStart(...call),
    remove: async (...call) => (await loaded()).remove(...call),
    createUpload: async (...call) => (await loaded()).createUpload(...call),
    listParts: async (...call) => (await loaded()).listParts(...call),
    completeUpload: async (...call) => (await loaded()).completeUpload(...call),
    abortUpload: async (...call) => (await loaded()).abortUpload(...call),
    signPart: async (...call) => (await loaded()).signPart(...call),
    signDownload: async (...call) => (await loaded()).signDownload(...call),
  }
}

export function queuesOnUse(load: () => Promise<QueueSender>): QueueSender {
  const loaded = loadOnce(load)
  return { send: async (...message) => (await loaded()).send(...message) }
}

export function functionHostOnUse(load: () => Promise<FunctionHost>): FunctionHost {
  const loaded = loadOnce(load)
  return {
    create: async (program) => (await loaded()).create(program),
    stateOf: async (name) => (await loaded()).stateOf(name),
    invoke: async (...call) => (await loaded()).invoke(...call),
    remove: async (name) => (await loaded()).remove(name),
    logs: async (...call) => (await loaded()).logs(...call),
  }
}

export function invokerOnUse(connect: Connect): InvokeFunction {
  const loaded = loadOnce(async () => (await import("./lambda-invoker.ts")).createLambdaInvoker(connect))
  return async (...call) => (await loaded())(...call)
}
