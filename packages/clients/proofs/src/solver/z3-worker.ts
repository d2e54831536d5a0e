import { parentPort, workerData } from "node:worker_threads"
import { init } from "z3-solver"

const port = parentPort
if (port === null) throw new TypeError("This file is a worker")
const { Z3, em } = await init()
const { memoryMb }: { readonly memoryMb: number } = workerData
// Beyond it, Z3 ends its program, which is an exception here.
Z3.global_param_set("memory_max_size", String(memoryMb))
const context = Z3.mk_context(Z3.mk_config())

/**
 * Z3's own function for this, which does not block, frees the commands before its thread has read them: then they are
 * changed on the way, rarely and without an error. This one reads them before it returns, and may block this thread.
 */
port.on("message", (commands: string) => {
  port.postMessage(
    String(em.ccall("Z3_eval_smtlib2_string", "string", ["number", "string"], [context, commands])),
  )
})
port.postMessage("loaded")
