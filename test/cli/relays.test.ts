import { execFileSync } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { startDnsServer } from "../support/dns-server.ts"
import { useService } from "../support/service.ts"
import { withFolder } from "../support/start.ts"
import { type CliOptions, run, runAgainst } from "./cli.ts"

const dns = await startDnsServer()
afterAll(() => dns.close())
const service = useService("container", { dnsServers: [dns.address] })

const ROUTES = `
- path: /cards/**
  request:
    - action: encrypt
      selections:
        - { type: json, selector: $.number }
        - { type: json, selector: $.cvc }
`
const fileOf = (destination: string, settings = "") => `
destinationDomain: ${destination}
${settings}
routes: ${ROUTES.replaceAll("\n", "\n  ")}
`

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

/** Makes a folder of files for a new app, and runs commands in it for that app. */
async function inFolder(
  files: Readonly<Record<string, string>>,
  use: (
    sealway: (...args: string[]) => ReturnType<typeof run>,
    folder: string,
    edit: (files: Readonly<Record<string, string>>) => Promise<void>,
  ) => Promise<void>,
  options: CliOptions = {},
): Promise<void> {
  const { app, auth } = await service.newApp("sandbox")
  const env = { SEALWAY_APP: app.id, SEALWAY_API_KEY: auth.key, ...options.env }
  await withFolder(async (folder) => {
    const edit = (changed: Readonly<Record<string, string>>) => write(folder, changed)
    await edit(files)
    await use((...args) => runAgainst(service, args, { folder, ...options, env }), folder, edit)
  })
}

describe("relays plan, diff and apply", () => {
  test("change the service to what the files say, and then find nothing to do", async () => {
    const files = {
      "a.yaml": fileOf("a.example"),
      "b/c.yml": `- destinationDomain: b.example\n- destinationDomain: c.example:8443\n`,
    }
    await inFolder(files, async (sealway) => {
      const plan = await sealway("relays", "plan")
      expect(plan).toMatchObject({
        exitCode: 0,
        stdout: "+ relay a.example\n+ relay b.example\n+ relay c.example:8443\n",
      })
      expect((await sealway("relays", "diff")).exitCode).toBe(2)
      expect((await sealway("relays", "apply", "--yes")).exitCode).toBe(0)
      expect((await sealway("relays", "diff")).exitCode).toBe(0)
      const listed = await sealway("relays", "list", "--json")
      expect(listed.json()).toMatchObject({
        data: ["c.example:8443", "b.example", "a.example"].map((destinationDomain) => ({
          destinationDomain,
        })),
      })
    })
  })

  test("show each field that differs, in any spelling of the destination, and routes in their order", async () => {
    await inFolder({ "a.yaml": fileOf("a.example", "leakWatch: alert") }, async (sealway, _folder, edit) => {
      await sealway("relays", "apply", "--yes")
      const routes = `[{ path: /first }, { path: /cards/**, request: ${JSON.stringify([])} }]`
      await edit({
        "a.yaml": `destinationDomain: A.example:443\nauthentication: api-key\nroutes: ${routes}\n`,
      })
      const { stdout } = await sealway("relays", "plan")
      expect(stdout).toContain("~ relay A.example:443\n")
      expect(stdout).toContain('    authentication: null → "api-key"\n')
      expect(stdout).toContain('    leakWatch: "alert" → "off"\n')
      expect(stdout).toMatch(/^ {4}routes\.0: \{.*cards.*\} → \{.*first.*\}$/m)
      expect(stdout).toMatch(/^ {4}routes\.1: \(none\) → \{.*cards.*\}$/m)
      expect((await sealway("relays", "apply", "--yes")).exitCode).toBe(0)
      expect((await sealway("relays", "diff")).exitCode).toBe(0)
      await edit({
        "a.yaml": `destinationDomain: a.example\nauthentication: api-key\nroutes: [{ path: /cards/** }, { path: /first }]\n`,
      })
      expect((await sealway("relays", "diff")).exitCode).toBe(2)
    })
  })

  test("keep options of a relay that its file does not name, and say so", async () => {
    await inFolder(
      { "a.yaml": fileOf("a.example", "unknownContentTypes: pass") },
      async (sealway, _folder, edit) => {
        await sealway("relays", "apply", "--yes")
        await edit({ "a.yaml": fileOf("a.example") })
        const kept = await sealway("relays", "plan")
        expect(kept.stdout).toBe("")
        expect(kept.stderr).toContain('relay a.example keeps unknownContentTypes: "pass"')
        expect((await sealway("relays", "diff")).exitCode).toBe(0)
        expect((await sealway("relays", "plan", "--json")).json()).toMatchObject({
          changes: [],
          kept: [{ kind: "relay", name: "a.example", field: "unknownContentTypes", value: "pass" }],
        })
        await edit({ "a.yaml": fileOf("a.example", "leakWatch: alert") })
        await sealway("relays", "apply", "--yes")
        const shown = await sealway("relays", "get", "a.example", "--json")
        expect(shown.json()).toMatchObject({ leakWatch: "alert", unknownContentTypes: "pass" })
        await edit({
          "a.yaml": fileOf("a.example", "unknownContentTypes: refuse\nunencryptableErrors: drop-body"),
        })
        const { stdout } = await sealway("relays", "plan")
        expect(stdout).toContain('    unknownContentTypes: "pass" → "refuse"\n')
        expect(stdout).toContain('    unencryptableErrors: "refuse" → "drop-body"\n')
        expect((await sealway("relays", "apply", "--yes")).exitCode).toBe(0)
        expect((await sealway("relays", "plan")).stderr).not.toContain("keeps")
      },
    )
  })

  test("create relays that refuse what no route describes, and keep what others pass with a warning", async () => {
    await inFolder({ "a.yaml": fileOf("a.example") }, async (sealway, _folder, edit) => {
      await sealway("relays", "apply", "--yes")
      const created = await sealway("relays", "get", "a.example", "--json")
      expect(created.json()).toMatchObject({
        unmatched: "refuse",
        passContentTypes: [],
        rewriteLocations: true,
        forwardedHeaders: "x-forwarded",
        warnings: [],
      })
      const passing = 'unmatched: pass\npassContentTypes: ["*"]\nrewriteLocations: false'
      await edit({ "a.yaml": fileOf("a.example", passing) })
      await sealway("relays", "apply", "--yes")
      await edit({ "a.yaml": fileOf("a.example") })
      const { stderr } = await sealway("relays", "plan")
      expect(stderr).toContain(
        'keeps unmatched: "pass", which its file leaves out. Requests that match no route',
      )
      expect(stderr).toContain(
        'keeps passContentTypes: ["*"], which its file leaves out. Bodies of types that',
      )
      expect(stderr).toContain(
        "keeps rewriteLocations: false, which its file leaves out. A redirect of the destination",
      )
      expect((await sealway("relays", "diff")).exitCode).toBe(0)
    })
  })

  test("ignore what no file names, and delete it with --prune", async () => {
    await inFolder({ "a.yaml": fileOf("a.example") }, async (sealway) => {
      await sealway("relays", "create", "other.example")
      const plan = await sealway("relays", "plan")
      expect(plan.stdout).toBe("+ relay a.example\n")
      expect(plan.stderr).toContain("left unchanged: relay other.example.")
      expect((await sealway("relays", "plan", "--prune")).stdout).toBe(
        "+ relay a.example\n- relay other.example\n",
      )
      expect((await sealway("relays", "apply", "--prune", "--yes")).exitCode).toBe(0)
      expect((await sealway("relays", "get", "other.example")).exitCode).toBe(4)
    })
  })

  test("ask before they change anything", async () => {
    await inFolder({ "a.yaml": fileOf("a.example") }, async (sealway) => {
      expect((await sealway("relays", "apply")).exitCode).toBe(2)
      expect((await sealway("relays", "list", "--quiet")).stdout).toBe("")
    })
  })

  test("report what the service refuses, and what was done before it", async () => {
    const files = {
      "a.yaml": fileOf("a.example"),
      "b.yaml": fileOf("b.example").replace("$.cvc }", "$.cvc, role: none }"),
    }
    await inFolder(files, async (sealway) => {
      const result = await sealway("relays", "apply", "--yes")
      expect(result.exitCode).toBe(1)
      expect(result.stderr).toContain("create relay b.example failed")
      expect(result.stderr).toContain("/routes/0/request/0/selections/1/role")
      expect(result.stderr).toContain("done: create relay a.example")
    })
  })

  test("read client certificates from files, send them when they change, and show no key", async () => {
    const clientCertificate = `
clientCertificate:
  format: pem
  certificate: ../certificates/cert.pem
  privateKey: ../certificates/key.pem
  passwordVariable: RELAY_KEY_PASSWORD
`
    const files = { "relays/a.yaml": fileOf("a.example", clientCertificate), "certificates/x": "" }
    const use: Parameters<typeof inFolder>[1] = async (sealway, folder) => {
      makeCertificate(join(folder, "certificates"))
      const plan = await sealway("relays", "plan", "relays", "--json")
      expect(plan.exitCode, plan.stderr).toBe(0)
      expect(plan.stdout).not.toMatch(/BEGIN|pass-7f3a/)
      const applied = await sealway("relays", "apply", "relays", "--yes", "--json")
      expect(applied.exitCode, applied.stderr).toBe(0)
      expect(applied.stdout).not.toMatch(/BEGIN|pass-7f3a/)
      expect((await sealway("relays", "get", "a.example")).stdout).toContain("CN=client")
      expect((await sealway("relays", "diff", "relays")).exitCode).toBe(0)
      makeCertificate(join(folder, "certificates"))
      const changed = await sealway("relays", "plan", "relays")
      expect(changed.stdout).toMatch(
        /^~ relay a\.example\n {4}clientCertificate: "[0-9a-f]{64}" → "[0-9a-f]{64}"\n$/,
      )
      expect((await sealway("relays", "apply", "relays", "--yes")).exitCode).toBe(0)
      expect((await sealway("relays", "diff", "relays")).exitCode).toBe(0)
    }
    await inFolder(files, use, { env: { RELAY_KEY_PASSWORD: "pass-7f3a" } })
  })
})

describe("relay files", () => {
  const problemOf = (files: Readonly<Record<string, string>>) =>
    withFolder(async (folder) => {
      await write(folder, files)
      const result = await run(["relays", "plan"], { folder })
      expect(result).toMatchObject({ exitCode: 2, stdout: "" })
      return result.stderr
    })

  test("report every problem with its file and line", async () => {
    const bad = fileOf("a.example", "leakWatch: maybe").replace("$.cvc", "cvc")
    expect(await problemOf({ "bad.yaml": bad })).toContain("bad.yaml:3: /leakWatch: ")
    const selectors = await problemOf({ "bad.yaml": fileOf("a.example").replace("$.cvc", "cvc") })
    expect(selectors).toContain("bad.yaml:10: /routes/0/request/0/selections/1/selector: ")
    expect(selectors).toContain("A selector must begin with $")
  })

  test("report which entry of a list it is in", async () => {
    const list = "- destinationDomain: a.example\n- destinationDomain: a.example/x\n"
    expect(await problemOf({ "list.yaml": list })).toContain("list.yaml:2: /1/destinationDomain: ")
  })

  test("refuse a duplicate destination, in any files and spelling", async () => {
    const files = { "a.yaml": fileOf("a.example"), "b.yaml": fileOf("A.example:443") }
    expect(await problemOf(files)).toContain(
      "b.yaml:2: /destinationDomain: Another relay has this destination",
    )
  })

  test("refuse keys that are written into them, and unknown fields", async () => {
    const inline = "clientCertificate: { format: pem, certificate: a, privateKey: b, password: marker-7f3a }"
    const problem = await problemOf({ "a.yaml": fileOf("a.example", inline) })
    expect(problem).toContain("/clientCertificate: ")
    expect(problem).not.toContain("7f3a")
    expect(await problemOf({ "a.yaml": "destinationDomain: a.example\nroute: []\n" })).toContain("a.yaml:")
  })

  test("report certificates that are missing or invalid, and variables that are not set", async () => {
    const named = "clientCertificate: { format: pkcs12, file: none.p12 }"
    expect(await problemOf({ "a.yaml": fileOf("a.example", named) })).toContain("none.p12 cannot be read")
    const files = { "a.yaml": fileOf("a.example", named), "none.p12": "x" }
    expect(await problemOf(files)).toContain("a.yaml:3: /clientCertificate: Not a PKCS#12 file")
    const variable = named.replace(" }", ", passwordVariable: NOT_SET }")
    expect(await problemOf({ "a.yaml": fileOf("a.example", variable) })).toContain(
      "variable NOT_SET is not set",
    )
  })

  test("are reported as a wrong folder when there are none", async () => {
    expect(await problemOf({})).toContain("has no YAML files with relays")
  })
})

describe("relays", () => {
  test("are created, shown by destination, and deleted", async () => {
    await inFolder({ "routes.yaml": ROUTES }, async (sealway) => {
      const created = await sealway(
        "relays",
        "create",
        "d.example",
        "--routes",
        "routes.yaml",
        "--require-key",
        "--json",
      )
      expect(created.json()).toMatchObject({ destinationDomain: "d.example", authentication: "api-key" })
      expect(created.json()).toMatchObject({ unmatched: "refuse", warnings: [] })
      const shown = await sealway("relays", "get", "D.example")
      expect(shown.stdout).toContain("/cards/**")
      expect((await sealway("relays", "list")).rows()).toEqual([
        expect.arrayContaining(["d.example", "active"]),
      ])
      expect((await sealway("relays", "delete", "d.example")).exitCode).toBe(0)
      expect((await sealway("relays", "list", "--quiet")).stdout).toBe("")
      expect((await sealway("relays", "get", "d.example")).exitCode).toBe(4)
    })
  })

  test("refuse an invalid list of routes with status 2", async () => {
    await inFolder({ "routes.yaml": "a: b" }, async (sealway) => {
      expect((await sealway("relays", "create", "d.example", "--routes", "routes.yaml")).exitCode).toBe(2)
    })
  })

  test("have domains, which are verified by DNS", async () => {
    await inFolder({}, async (sealway) => {
      await sealway("relays", "create", "d.example")
      const added = await sealway("relays", "domains", "add", "d.example", "pay.cli.example")
      expect(added.stdout).toContain("pay.cli.example → relay.localhost")
      const pending = await sealway("relays", "domains", "verify", "d.example", "pay.cli.example")
      expect(pending.exitCode).toBe(1)
      expect(pending.stdout).toContain("txt-missing")
      const [, name = "", value = ""] = /(_ev-custom-domain\S*) → (\S+)/.exec(added.stdout) ?? []
      dns.zone.set(name, { TXT: [value] })
      dns.zone.set("pay.cli.example", { CNAME: "relay.localhost" })
      const verified = await sealway("relays", "domains", "verify", "d.example", "pay.cli.example")
      expect(verified.exitCode).toBe(0)
      expect((await sealway("relays", "domains", "list", "d.example")).rows()).toEqual([
        expect.arrayContaining(["pay.cli.example", "active"]),
      ])
      expect((await sealway("relays", "domains", "get", "d.example", "pay.cli.example")).exitCode).toBe(0)
      expect((await sealway("relays", "domains", "delete", "d.example", "pay.cli.example")).exitCode).toBe(0)
      expect((await sealway("relays", "domains", "get", "d.example", "pay.cli.example")).exitCode).toBe(4)
    })
  })

  test("show what they would do with samples", async () => {
    const files = {
      "routes.yaml": ROUTES,
      "all.json": '{"number":"4242","cvc":"1"}',
      "part.json": '{"number":"4242"}',
    }
    await inFolder(files, async (sealway) => {
      await sealway("relays", "create", "d.example", "--routes", "routes.yaml")
      const test = (...args: string[]) =>
        sealway("relays", "test", "d.example", "--path", "/cards/1", ...args)
      const all = await test("--request", "all.json")
      expect(all.exitCode, all.stderr).toBe(0)
      expect(all.rows().map((row) => row.slice(0, 6))).toEqual([
        ["request", "encrypt", "json", "$.number", "1", "1"],
        ["request", "encrypt", "json", "$.cvc", "1", "1"],
      ])
      const part = await test("--request", "part.json")
      expect(part.exitCode).toBe(1)
      expect(part.stderr).toContain("$.cvc")
      const other = await sealway(
        "relays",
        "test",
        "d.example",
        "--path",
        "/none",
        "--request",
        "all.json",
        "--json",
      )
      expect(other.exitCode).toBe(1)
      expect(other.json()).toMatchObject({ routes: [{ matched: false }] })
    })
  })
})

/** Makes a new certificate and its encrypted key. */
function makeCertificate(folder: string): void {
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
  const files = ["-keyout", "key.pem", "-passout", "pass:pass-7f3a", "-out", "cert.pem"]
  const args = ["req", "-x509", ...curve, ...files, "-days", "365", "-subj", "/CN=client"]
  execFileSync("openssl", args, { cwd: folder, stdio: "ignore" })
}

describe("relays alerts", () => {
  test("are created, changed, tested, listed and deleted", async () => {
    await inFolder({}, async (sealway) => {
      expect((await sealway("relays", "create", "alerts.example")).exitCode).toBe(0)
      const alerts = (...args: string[]) => sealway("relays", "alerts", ...args)
      const created = await alerts("create", "alerts.example", "https://hooks.example/a", "-q")
      expect(created.stdout).toMatch(/^relay_alert_/)
      const id = created.stdout.trim()
      const changed = await alerts("update", "alerts.example", id, "--type", "chat", "--json")
      expect(changed.json()).toMatchObject({ id, type: "chat", url: "https://hooks.example/a" })
      expect((await alerts("get", "alerts.example", id, "--json")).json()).toMatchObject({ type: "chat" })
      expect((await alerts("test", "alerts.example", id)).stdout).toMatch(/^webhook_event_/)
      expect((await alerts("list", "alerts.example")).rows()[0]?.slice(0, 2)).toEqual([id, "chat"])
      expect((await alerts("update", "alerts.example", id)).exitCode).toBe(2)
      expect((await alerts("delete", "alerts.example", id)).exitCode).toBe(0)
      expect((await alerts("list", "alerts.example")).stdout).toBe("")
      expect((await alerts("get", "alerts.example", id)).exitCode).toBe(4)
      expect((await alerts("list", "nowhere.example")).exitCode).toBe(4)
    })
  })
})

describe("relays activity", () => {
  const activityOf = (id: string) => ({
    id,
    mode: "reverse",
    method: "POST",
    routes: ["/cards"],
    status: 502,
    createdAt: 0,
    error: { code: "proxy-error", detail: "x" },
    leaks: [],
    timing: { totalMs: 1.6 },
    selections: [{ changed: 2 }, { changed: 1 }],
  })

  test("shows requests, filters them, and refuses an invalid class of status", async () => {
    await inFolder({}, async (sealway) => {
      expect((await sealway("relays", "create", "activity.example")).exitCode).toBe(0)
      const activity = (...args: string[]) => sealway("relays", "activity", "activity.example", ...args)
      expect(await activity("--status", "5XX", "--error", "proxy-error")).toMatchObject({
        exitCode: 0,
        stdout: "",
      })
      expect((await activity("--status", "600")).exitCode).toBe(2)
      expect((await activity("--error", "nonsense")).exitCode).toBe(1)
      expect((await activity("--follow", "--all")).exitCode).toBe(2)
    })
  })

  test("can be followed without a start time, which its list does not know", async () => {
    const id = `relay_${"0".repeat(26)}`
    const asked: URL[] = []
    const end = new AbortController()
    const answers = [["1"], ["1"], ["3", "2", "1"]]
    const followed = await run(["relays", "activity", id, "--follow"], {
      env: { SEALWAY_URL: "http://127.0.0.1:1", SEALWAY_API_KEY: "x" },
      signal: end.signal,
      fetch: async (address) => {
        asked.push(new URL(String(address)))
        return Response.json({ data: answers.shift()?.map(activityOf), hasMore: false })
      },
      sleep: async () => {
        if (answers.length > 0) return
        end.abort(130)
        throw end.signal.reason
      },
    })
    const row = ["1970-01-01T00:00:00Z", "POST", "/cards", "502", "proxy-error", "3", "0", "2"]
    expect(followed.rows()).toEqual([
      [...row, "1"],
      [...row, "2"],
      [...row, "3"],
    ])
    expect(asked.every(({ searchParams }) => !searchParams.has("from"))).toBe(true)
  })
})
