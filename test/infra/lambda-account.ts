import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface LambdaAccount {
  /** Concurrent executions. */
  readonly quota: number
  readonly unreserved: number
  /** Functions by the name of their role, with what they reserve. Default: none. */
  readonly functions?: Readonly<Record<string, number>>
}

/** Starts Lambda for an account, as far as its quota goes. Lists one function per page. */
export async function startLambdaAccount({ quota, unreserved, functions = {} }: LambdaAccount) {
  const asked: string[] = []
  const roles = Object.keys(functions)
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://lambda")
    asked.push(pathname)
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(answer(pathname, Number(searchParams.get("Marker") ?? 0))))
  })
  const answer = (path: string, at: number): object => {
    if (path === "/2016-08-19/account-settings") {
      return { AccountLimit: { ConcurrentExecutions: quota, UnreservedConcurrentExecutions: unreserved } }
    }
    if (path === "/2015-03-31/functions") {
      const role = roles[at]
      const Functions = role ? [{ FunctionName: `f${at}`, Role: `arn:aws:iam::1:role/${role}` }] : []
      return { Functions, ...(at + 1 < roles.length && { NextMarker: String(at + 1) }) }
    }
    const [, name = ""] = /\/functions\/f(\d+)\/concurrency$/.exec(path) ?? []
    return { ReservedConcurrentExecutions: functions[roles[Number(name)] ?? ""] }
  }
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Paths of requests. */
    asked,
    close: () => server.close(),
  }
}
