import { execFile, execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { CONTAINER_LIMITS, parseOptions } from "@sealway/local/testing"
import { RELAY_LIMITS } from "@sealway/relay-proxy"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import * as z from "zod"
import { SERVICE_FLAGS } from "../../scripts/node-flags.mjs"
import { ROOT } from "../support/start.ts"

const run = promisify(execFile)
const shell = async (command: string) => (await run("bash", ["-c", command], { cwd: ROOT })).stdout

const composeSchema = z.strictObject({
  name: z.literal("sealway"),
  services: z.strictObject({
    sealway: z.strictObject({
      build: z.strictObject({ context: z.literal("."), target: z.string() }),
      command: z.array(z.string()),
      ports: z.array(z.string()),
      volumes: z.array(z.string()),
      read_only: z.boolean(),
      cap_drop: z.array(z.string()),
      security_opt: z.array(z.string()),
      init: z.boolean(),
      stop_grace_period: z.string(),
      restart: z.string(),
    }),
  }),
  volumes: z.record(z.string(), z.null()),
})

const compose = composeSchema.parse(parse(await readFile(join(ROOT, "compose.yaml"), "utf8")))
const { sealway } = compose.services

/** The instructions of the image that the service is built from. */
const image = (await readFile(join(ROOT, "Dockerfile"), "utf8"))
  .split(/^(?=FROM )/m)
  .find((stage) => stage.startsWith("FROM ") && / AS local$/m.test(stage.split("\n", 1)[0] ?? ""))
/** The last one counts. */
const instruction = (name: string) =>
  [...(image ?? "").matchAll(new RegExp(`^${name} (.+)$`, "gm"))].at(-1)?.[1] ?? ""
const list = (text: string): string[] => z.array(z.string()).parse(JSON.parse(text))

/** Returns the options that the container starts with: the image's and the service's. */
function optionsOf() {
  const entry = list(instruction("ENTRYPOINT"))
  const script = entry.findIndex((each) => each.startsWith("/app/packages/"))
  const options = parseOptions([...entry.slice(script + 1), ...sealway.command], instruction("WORKDIR"))
  if (options === null) throw new Error("The container asks for help")
  return options
}

describe("the container of the whole service", () => {
  test("is built from the target for the whole service", () => {
    expect(sealway.build.target).toBe("local")
    expect(image).toBeDefined()
  })

  test("listens on the ports that the image exposes and that only this machine gets", () => {
    const { host, port, relayPort, proxyPort, strictProxyPort } = optionsOf()
    const ports = [port, relayPort, proxyPort, strictProxyPort]
    expect(host).toBe("0.0.0.0")
    expect(instruction("EXPOSE").split(" ").map(Number)).toEqual(ports)
    // The same outside: the API knows its own port in Host.
    expect(sealway.ports).toEqual(ports.map((each) => `127.0.0.1:${each}:${each}`))
    expect(instruction("HEALTHCHECK")).toContain(`'http://127.0.0.1:${port}/health'`)
  })

  test("is called by the name of its service from other containers", () => {
    expect(optionsOf().allowedHosts).toEqual(Object.keys(compose.services))
  })

  test("keeps its data in the volume, in a folder that its user owns", () => {
    const [volume = "", folder = ""] = sealway.volumes[0]?.split(":") ?? []
    expect(sealway.volumes).toHaveLength(1)
    expect(Object.keys(compose.volumes)).toEqual([volume])
    expect(optionsOf().dataFolder).toBe(join(folder, ".sealway"))
    expect(instruction("RUN")).toBe(`install --directory --owner=node --group=node --mode=0700 ${folder}`)
  })

  test("is not root, gains nothing, writes to its volume alone, and prints no key", () => {
    expect(instruction("USER")).toBe("node")
    expect(sealway).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      init: true,
    })
    expect(optionsOf().hideKeys).toBe(true)
    expect(optionsOf().unconfinedFunctions).toBe(false)
  })

  test("lets requests in progress end when it is stopped", () => {
    const graceMs = Number.parseInt(sealway.stop_grace_period, 10) * 1000
    expect(graceMs).toBeGreaterThan(CONTAINER_LIMITS.drainTimeoutMs + 2 * RELAY_LIMITS.drainTimeoutMs)
  })

  test("is the one that the documentation shows commands for", async () => {
    const text = await readFile(join(ROOT, "docs/running-locally.md"), "utf8")
    const commands = [...text.matchAll(/docker (?:compose|build) [^"\n`]+/g)].map(([command]) => command)
    expect(commands).toEqual([
      "docker compose up --build --wait",
      "docker compose exec -T sealway cat .sealway/env)",
      "docker compose exec sealway sealway apps list",
      `docker build --target ${sealway.build.target} --tag sealway .`,
    ])
    const { port, strictProxyPort, allowedHosts } = optionsOf()
    expect(text).toContain(`Ports ${port} to ${strictProxyPort} are published on 127.0.0.1`)
    expect(text).toContain(`\`http://${allowedHosts[0]}:${port}\``)
    expect(text).toContain(`the data folder is \`${optionsOf().dataFolder}\`.`)
  })

  test("opens no inspector, and has the heap of npm start", () => {
    expect(list(instruction("ENTRYPOINT"))).toEqual(
      expect.arrayContaining(["--disable-sigusr1", ...SERVICE_FLAGS]),
    )
  })
})

const hasDocker = (() => {
  try {
    execFileSync("docker", ["info"], { stdio: "ignore", timeout: 10_000 })
    execFileSync("docker", ["compose", "version"], { stdio: "ignore", timeout: 10_000 })
    return true
  } catch {
    return false
  }
})()

const title = "the container is built, becomes healthy, encrypts, runs read-only and keeps its data"
test.skipIf(!hasDocker)(
  hasDocker ? title : `${title} (skipped: no Docker daemon on this machine)`,
  { timeout: 900_000 },
  async () => {
    const project = `docker compose --project-name sealway-test-${randomBytes(4).toString("hex")}`
    const within = `${project} exec -T sealway`
    try {
      await shell(`${project} up --build --wait`)
      const encrypt = `SEALED=$(curl -sS --fail-with-body -u "$SEALWAY_APP:$SEALWAY_API_KEY" "$SEALWAY_URL/encrypt" -d '"kept"' -H 'Content-Type: application/json')`
      const token = await shell(`eval "$(${within} cat .sealway/env)"; ${encrypt}; echo -n "$SEALED"`)
      expect(token).toMatch(/^"ev:debug:/)
      expect(await shell(`${within} id -un`)).toBe("node\n")
      await expect(shell(`${within} touch /app/file /tmp/file`)).rejects.toThrow(/Read-only file system/)
      expect(await shell(`${project} logs`)).not.toMatch(/swk_/)
      expect(await shell(`${within} sealway apps list`)).toMatch(/app_/)
      await shell(`${project} up --force-recreate --wait`)
      const decrypt = `curl -sS --fail-with-body -u "$SEALWAY_APP:$SEALWAY_API_KEY" "$SEALWAY_URL/decrypt" -d '${token}' -H 'Content-Type: application/json'`
      expect(await shell(`eval "$(${within} cat .sealway/env)"; ${decrypt}`)).toBe('"kept"')
    } finally {
      await shell(`${project} down --volumes --rmi local`)
    }
  },
)
