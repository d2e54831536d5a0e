import { availableParallelism } from "node:os"
import { MB } from "@sealway/kernel"
import { expect, test } from "vitest"
import { parseOptions, UsageError } from "./options.ts"

test.each([
  ["--port", "99999"],
  ["--port", "x"],
  ["--nonsense"],
  ["--limits", "none"],
  ["--max-requests", "0"],
  ["--stall-timeout", "1s"],
  ["--allow-host", "http://vault.test"],
  ["--allow-host", "vault.test:65536"],
  ["--public-url", "vault.test"],
  ["--public-url", "https://vault.test/api"],
  ["--public-url", "https://user@vault.test"],
  ["--public-url", "ftp://vault.test"],
  ["--host", "localhost"],
  ["--host", ""],
  ["--host", "fe80::1%eth0"],
  ["--port", "7401", "--relay-port", "7401"],
  ["--relay-port", "7402"],
  ["--access-log-days", "0"],
  ["--access-log-days", "3651"],
  ["--workers", "-1"],
  ["--workers", "x"],
  ["--workers", "257"],
  ["extra"],
])("the options %s %s %s %s are refused", (...args) => {
  const given = args.filter((arg) => arg !== undefined)
  expect(() => parseOptions(given, "/")).toThrow(UsageError)
})

test("the public URL is read as an origin, and is none unless it is given", () => {
  expect(parseOptions([], "/")?.publicUrl).toBeNull()
  expect(parseOptions(["--public-url", "https://Vault.test:443/"], "/")?.publicUrl).toBe("https://vault.test")
})

test("functions run unconfined only when that is asked for", () => {
  expect(parseOptions([], "/")?.unconfinedFunctions).toBe(false)
  expect(parseOptions(["--unconfined-functions"], "/")?.unconfinedFunctions).toBe(true)
})

test("functions may connect to what the option says, and to the default without it", () => {
  expect(parseOptions([], "/")?.functionNetwork).toBeNull()
  for (const network of ["public", "private", "none", "host"])
    expect(parseOptions(["--function-network", network], "/")?.functionNetwork).toBe(network)
  expect(() => parseOptions(["--function-network", "all"], "/")).toThrow(UsageError)
})

test("starts as many workers as the machine has processors, unless another number is given", () => {
  expect(parseOptions([], "/")?.workers).toBe(availableParallelism())
  expect(parseOptions(["--workers", "1"], "/")?.workers).toBe(1)
  expect(parseOptions(["--workers", "0"], "/")?.workers).toBe(1)
  expect(() => parseOptions(["--workers", "257"], "/")).toThrow("--workers must be a number from 0 to 256.")
})

test("uses the ports after the API's for what has no option, and none twice", () => {
  const ports = (args: readonly string[]) => {
    const { port, relayPort, proxyPort, strictProxyPort } = parseOptions(args, "/") ?? {}
    return [port, relayPort, proxyPort, strictProxyPort]
  }
  expect(ports([])).toEqual([7400, 7401, 7402, 7403])
  expect(ports(["--port", "7500", "--proxy-port", "80"])).toEqual([7500, 7501, 80, 7503])
  expect(ports(["--port", "0"])).toEqual([0, 0, 0, 0])
  expect(ports(["--port", "65534"])).toEqual([65534, 65535, 0, 0])
  expect(() => ports(["--relay-port", "7402"])).toThrow("--relay-port and --proxy-port are both 7402.")
})

test("listens on loopback unless an address is given, which is normalised as in URLs", () => {
  expect(parseOptions([], "/")?.host).toBe("127.0.0.1")
  expect(parseOptions(["--host", "[0:0::1]"], "/")?.host).toBe("::1")
  expect(parseOptions(["--allow-host", "0:0::1", "--allow-host", "a"], "/")?.allowedHosts).toEqual([
    "[::1]",
    "a",
  ])
})

test("shares --memory among the service and its workers, and refuses less than each needs", () => {
  const memoryMb = (...args: string[]) => (parseOptions(args, "/")?.memoryBytes ?? 0) / MB
  expect(memoryMb("--memory", "500", "--workers", "1")).toBe(500)
  expect(memoryMb("--memory", "600", "--workers", "2")).toBe(200)
  expect(memoryMb("--memory", "192", "--workers", "2")).toBe(64)
  expect(() => memoryMb("--memory", "191", "--workers", "2")).toThrow("--memory must be at least 192")
  expect(() => memoryMb("--memory", "63", "--workers", "1")).toThrow("--memory must be at least 64")
  expect(() => memoryMb("--memory", "1.5")).toThrow(UsageError)
})
