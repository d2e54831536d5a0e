import type { HandlerContext } from "@sealway/http"
import type { APIGatewayProxyEventV2 } from "aws-lambda"
import { onTestFinished } from "vitest"
import { createGateway, type Gateway, type GatewayOptions } from "../gateway.ts"
import { API_GATEWAY_LIMITS } from "../limits.ts"
import type { GatewayRefusal } from "../request-server.ts"
import type { LambdaHandler, Route } from "../route.ts"
import { RawClient } from "./raw-client.ts"

/** A gateway on a free port, and a record of what its handlers received. */
export interface TestGateway {
  readonly gateway: Gateway
  readonly port: number
  readonly url: string
  readonly events: APIGatewayProxyEventV2[]
  readonly contexts: HandlerContext[]
  readonly errors: { readonly error: unknown; readonly functionName: string }[]
  readonly refusals: GatewayRefusal[]
  connect(): Promise<RawClient>
}

export interface TestGatewayOptions
  extends Partial<Omit<GatewayOptions, "routes" | "onError" | "onRefusal">> {
  /** Default: `a`, besides the gateway's own names. */
  readonly allowedHosts?: readonly string[]
  /** Method and path, such as `POST /encrypt`, to handler. */
  readonly routes?: Readonly<Record<string, LambdaHandler>>
}

/** Answers 200 without a body. */
export const acknowledge: LambdaHandler = async () => ({ statusCode: 200 })

/** Starts a gateway that lives as long as the current test. */
export async function startTestGateway({
  routes = { "POST /encrypt": acknowledge },
  limits = API_GATEWAY_LIMITS,
  cors = null,
  allowedHosts = ["a"],
  storage = null,
  forwardTarget = null,
  memory,
  answerUnknown = () => ({ statusCode: 404 }),
}: TestGatewayOptions = {}): Promise<TestGateway> {
  const events: APIGatewayProxyEventV2[] = []
  const contexts: HandlerContext[] = []
  const errors: { error: unknown; functionName: string }[] = []
  const recorded = Object.entries(routes).map(([key, handler]): Route => {
    const [method = "", path = ""] = key.split(" ")
    return {
      method,
      path,
      functionName: `${method.toLowerCase()}-function`,
      handler: (event, context) => {
        events.push(event)
        contexts.push(context)
        return handler(event, context)
      },
    }
  })
  const onError = (error: unknown, functionName: string) => errors.push({ error, functionName })
  const refusals: GatewayRefusal[] = []
  const onRefusal = (refusal: GatewayRefusal) => refusals.push(refusal)
  const gateway = createGateway({
    routes: recorded,
    answerUnknown,
    limits,
    cors,
    allowedHosts,
    storage,
    forwardTarget,
    onError,
    onRefusal,
    ...(memory && { memory }),
  })
  const { port, url } = await gateway.listen({ port: 0, host: "127.0.0.1" })
  const clients: RawClient[] = []
  onTestFinished(async () => {
    for (const client of clients) client.hangUp()
    await gateway.close()
  })
  return {
    gateway,
    port,
    url,
    events,
    contexts,
    errors,
    refusals,
    async connect() {
      const client = await RawClient.connect(port)
      clients.push(client)
      return client
    },
  }
}
