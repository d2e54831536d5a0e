/** A request target (RFC 9112, section 3.2), parsed as an HTTP API parses it. */
export interface RequestTarget {
  /** The path that routes match: percent-decoded once, cut at a `?` that this produced. */
  readonly routePath: string
  /** The path that handlers receive: `routePath`, percent-decoded once more. */
  readonly rawPath: string
  /** Everything after the first `?`, unchanged; empty when there is none. */
  readonly rawQueryString: string
  /** Host and port of a target in absolute form; null in origin form. */
  readonly authority: string | null
}

/**
 * Parses a request target; null when it is refused.
 *
 * Despite the name `rawPath`, an HTTP API does not pass on the path as it was sent: it decodes it, parses the result as
 * a URI again (so that an encoded `?` ends the path) and decodes that once more. Captures from a live API are in
 * github.com/hotsock/voker, `vokerhttp/testdata/ingress-paths.json`: `%20` arrives as a space, `%2F` and `%252F` both
 * as `/`, `a%3Fb` as `a`, and `%25d` is answered with 400. Routes see the path between the two decodings: `%2F`
 * separates segments and `%252F` does not. Nothing else is normalised. Doubled and trailing slashes, dot segments,
 * letter case and `;` parameters are part of the path, so they only match a route that contains them.
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

/** Fragments, and bytes that a URI cannot contain. */
const NOT_IN_TARGETS = /[^!-~]|#/

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/

const SCHEME_AND_AUTHORITY = /^https?:\/\/([^/?]+)/i

/** Every server must support absolute form (RFC 9112, section 3.2.2). */
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
