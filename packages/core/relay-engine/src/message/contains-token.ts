import { finish, type Work } from "@sealway/kernel"
import { TOKEN_GRAMMAR } from "@sealway/tokens"

/** A token at the position where the last match ended or one may start. */
const TOKEN = new RegExp(TOKEN_GRAMMAR, "y")

const START = "ev:"

const ATTEMPTS_PER_STEP = 512

/** Whether a token is, or is part of, a text. Linear in its length: an attempt ends at the sixth colon at the latest. */
export function containsToken(text: string): boolean {
  return text.includes(START) && finish(containsTokenInSteps(text))
}

/** `containsToken`, in steps. */
export function* containsTokenInSteps(text: string): Work<boolean> {
  let attempts = 0
  for (let at = text.indexOf(START); at !== -1; at = text.indexOf(START, at + 1)) {
    if (++attempts % ATTEMPTS_PER_STEP === 0) yield
    TOKEN.lastIndex = at
    if (TOKEN.test(text)) return true
  }
  return false
}
