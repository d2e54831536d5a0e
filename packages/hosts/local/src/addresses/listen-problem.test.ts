import { describe, expect, test } from "vitest"
import { explainListenError, LISTENERS } from "./listen-problem.ts"

const ADDRESSES = { host: "192.0.2.1", port: 7400, relayPort: 7401, proxyPort: 7402, strictProxyPort: 7403 }

const listenError = (code: string, port: number) =>
  Object.assign(new Error(code), { syscall: "listen", code, port })

describe("a port that is not available", () => {
  test.each(LISTENERS)("is reported with its option: $option", ({ port, option, server }) => {
    const number = ADDRESSES[port]
    expect(explainListenError(listenError("EADDRINUSE", number), ADDRESSES)).toBe(
      `Port ${number}, for ${server}, is in use by another process. Choose another port with ${option}, or --port 0 for free ones.`,
    )
    expect(explainListenError(listenError("EACCES", number), ADDRESSES)).toBe(
      `Port ${number}, for ${server}, needs root privileges. Choose another port with ${option}.`,
    )
  })

  test.each(["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"])("is not reported for %s", (code) => {
    expect(explainListenError(listenError(code, 7400), ADDRESSES)).toBe(
      "This machine cannot listen on 192.0.2.1: it is not one of its addresses. Choose another with --host.",
    )
  })

  test("is only reported for listening on these ports", () => {
    expect(explainListenError(listenError("EADDRINUSE", 7404), ADDRESSES)).toBeNull()
    expect(explainListenError(listenError("EMFILE", 7400), ADDRESSES)).toBeNull()
    expect(
      explainListenError(Object.assign(new Error(), { code: "EACCES", port: 7400 }), ADDRESSES),
    ).toBeNull()
    expect(explainListenError("EADDRINUSE", ADDRESSES)).toBeNull()
  })
})
