/** A request target (RFC 9112, section 3.2), taken apart as an HTTP API takes it apart. */
export interface RequestTarget {
  /** The path that routes are matched against: percent-decoded once, cut at a `?` that came out of that. */
  readonly routePath: string
  /** The path that handlers are told: `routePath`, percent-decoded once more. */
  readonly rawPath: string
  /** What follows the first `?`, as it was sent; empty when there is none. */
  readonly rawQueryString: string
  /** Host and port of a target in absolute form; null in origin form. */
  readonly authority: string | null
}

/**
 * Takes a request target apart; null when it is not one that is answered.
 *
 * An HTTP API does not hand on the path as it was sent, whatever the name `rawPath` says: it decodes it, takes the
 * outcome for a URI again (so that an encoded `?` ends the path) and decodes that once more. Captures from a live API
 * are in github.com/hotsock/voker, `vokerhttp/testdata/ingress-paths.json`: `%20` arrives as a space, `%2F` and
 * `%252F` both as `/`, `a%3Fb` as `a`, and `%25d` is answered with 400. Routes see the path between the two decodings:
 * `%2F` separates segments and `%252F` does not. Nothing else is normalised. Doubled and trailing slashes, dot
 * segments, letter case and `;` parameters are part of the path, so that they match no route that does not spell them.
 */
export function parseRequestTarget(target: string): RequestTarget | null {
  if (NOT_IN_TARGETS.test(target)) return null
  const forms = toOriginForm(target)
  if (forms === null) return null
  const { originForm, authority } = forms
  const queryStart = originForm.indexOf("?")
  const path = queryStart === -1 ? originForm : originForm.slice(0, queryStart)
  const rawQueryString = queryStart === -1 ? "" : originForm.slice(queryStart + 1)
  if (!path.includes("%")) return { routePath: path, rawPath: path, rawQueryString, authority }
  const routePath = percentDecode(path)?.split("?", 1)[0]
  const rawPath = routePath === undefined ? null : percentDecode(routePath)
  if (routePath === undefined || rawPath === null || CONTROL_CHARACTER.test(rawPath)) return null
  return { routePath, rawPath, rawQueryString, authority }
}

/** Fragments, and bytes that a URI cannot hold. */
const NOT_IN_TARGETS = /[^!-~]|#/

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/

const SCHEME_AND_AUTHORITY = /^https?:\/\/([^/?]+)/i

/** Absolute form must be understood by every server (RFC 9112, section 3.2.2). */
function toOriginForm(target: string): { originForm: string; authority: string | null } | null {
  if (target.startsWith("/")) return { originForm: target, authority: null }
  const [prefix, authority] = SCHEME_AND_AUTHORITY.exec(target) ?? []
  if (prefix === undefined || authority === undefined) return null
  const rest = target.slice(prefix.length)
  return { originForm: rest.startsWith("/") ? rest : `/${rest}`, authority }
}

function percentDecode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
