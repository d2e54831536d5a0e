import type { ServerResponse } from "node:http"
import { ApiError, jsonProblem, PROBLEM_CONTENT_TYPE, type ProblemBody, problemBody } from "@sealway/kernel"
import { SecurityModuleError } from "../nsm/security-module.ts"
import { AgentProblem } from "../service/agent-problem.ts"

/** Called for an error that is nobody's fault but the agent's, or the module's. It must not log what is in requests. */
export type OnError = (error: unknown) => void

/** Answers with a problem, in the form of the API's. Nothing is answered twice: a response that has begun is cut off. */
export function answerProblem(response: ServerResponse, error: unknown, onError: OnError): void {
  // The client has gone: that is no failure of the agent, and anybody could fill its log with it.
  if (response.destroyed) return
  const body = bodyOf(error, onError)
  if (response.headersSent) return void response.destroy()
  // What is left of the request is not read.
  response.writeHead(body.status, { "content-type": PROBLEM_CONTENT_TYPE, connection: "close" })
  response.end(JSON.stringify(body))
}

function bodyOf(error: unknown, onError: OnError): ProblemBody {
  const problem = jsonProblem(error)
  if (problem instanceof AgentProblem) return problem.body
  if (problem instanceof ApiError) return problemBody(problem.code, problem.message, problem.fields)
  onError(error)
  return problem instanceof SecurityModuleError
    ? problemBody("service-unavailable", "The enclave's security module does not answer.")
    : problemBody("internal-server-error", "The agent has failed.")
}
