import { admitSignedRequestsOnly } from "../admit-signed-requests.ts"
import { FunctionNetworkError } from "../errors.ts"
import { closeServer, listenOnLoopback, type RunningService } from "../loopback-server.ts"
import type { VerifySignature } from "../verify-signature.ts"
import { type ConfinementLevel, detectConfinement } from "./confinement/confinement.ts"
import type { ConfinedLevel } from "./confinement/launch-plan.ts"
import { EmbeddedLambda } from "./embedded-lambda.ts"
import type { RuntimeLanguage } from "./function-configuration.ts"
import { openFunctionStore } from "./function-store.ts"
import { createLambdaServer } from "./lambda-server.ts"
import type { FunctionNetwork } from "./network/function-network.ts"
import { OUTSIDE, type Outside } from "./network/serve-network.ts"

export interface LambdaOptions {
  /** The folder for functions; null: a temporary folder, until it closes. */
  readonly folder: string | null
  /** Checks requests signed for `lambda` and `logs`. */
  readonly verify: VerifySignature
  /** Default: `python3`, looked up in PATH. */
  readonly pythonPath?: string
  /** The confinement levels to try, strongest first. Default: all. */
  readonly confinementLevels?: readonly ConfinedLevel[]
  /** Whether functions may run unconfined when this machine cannot confine them. Default: no. */
  readonly unconfinedFunctions?: boolean
  /**
   * What functions may connect to. Default: `public` where this machine can restrict it, otherwise `host`. A given one
   * is never widened.
   */
  readonly functionNetwork?: FunctionNetwork
  /** How functions leave their own networks. Default: `OUTSIDE`. */
  readonly outside?: Outside
  /** Epoch milliseconds. */
  readonly wallClock?: () => number
}

const ALL_LANGUAGES: readonly RuntimeLanguage[] = ["node", "python"]

export interface RunningLambda extends RunningService {
  readonly functions: {
    readonly confinement: ConfinementLevel
    /** What functions may connect to: all of them, if some run unconfined. */
    readonly network: FunctionNetwork
    /** The languages whose functions run. */
    readonly languages: readonly RuntimeLanguage[]
  }
}

/**
 * Starts the embedded Lambda, and CloudWatch Logs for its functions, on one endpoint.
 *
 * @throws FunctionNetworkError when the given network cannot be enforced here
 */
export async function startLambda({
  folder,
  verify,
  pythonPath = process.platform === "win32" ? "python" : "python3",
  confinementLevels,
  unconfinedFunctions = false,
  functionNetwork,
  outside = OUTSIDE,
  wallClock = Date.now,
}: LambdaOptions): Promise<RunningLambda> {
  const confinement = await detectConfinement(confinementLevels, functionNetwork)
  const languages = unconfinedFunctions ? ALL_LANGUAGES : confinement.languages
  const network = languages.length === confinement.languages.length ? confinement.network : "host"
  if (functionNetwork !== undefined && languages.length > 0 && network !== functionNetwork)
    throw new FunctionNetworkError(functionNetwork, confinement.level)
  const store = await openFunctionStore(folder, confinement.owner)
  const lambda = new EmbeddedLambda({
    store,
    pythonPath,
    confinement,
    allowsUnconfined: unconfinedFunctions,
    outside,
    wallClock,
  })
  const server = createLambdaServer(lambda)
  admitSignedRequestsOnly(server, verify)
  const endpoint = await listenOnLoopback(server)
  return {
    endpoint,
    functions: { confinement: confinement.level, network, languages: [...languages] },
    async close() {
      const closing = closeServer(server)
      // Requests that wait for an instance end with it.
      await lambda.close()
      await closing
    },
  }
}
