import { type ApiErrorCode, type ProblemBody, problemBody } from "@sealway/kernel"

/** A refusal for the program in the enclave, in the form of the API's. */
export class AgentProblem extends Error {
  override readonly name = "AgentProblem"
  readonly body: ProblemBody

  constructor(body: ProblemBody, options?: ErrorOptions) {
    super(body.detail, options)
    this.body = body
  }
}

/** @param detail a sentence that contains no input */
export function agentProblem(code: ApiErrorCode, detail: string, options?: ErrorOptions): AgentProblem {
  return new AgentProblem(problemBody(code, detail), options)
}
