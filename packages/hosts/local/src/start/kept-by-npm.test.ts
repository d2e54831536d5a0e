import { describe, expect, test } from "vitest"
import { commandMeant } from "./kept-by-npm.ts"
import { OPTIONS } from "./options.ts"

const underNpm = (environment: Record<string, string> = {}) => ({
  npm_lifecycle_event: "start",
  ...environment,
})

describe("an option that npm kept for itself", () => {
  test.each([
    // npm start --port 7500, --port=7500, and what they leave to the script.
    [["7500"], { npm_config_port: "true" }, "npm start -- --port 7500"],
    [[], { npm_config_port: "7500" }, "npm start -- --port 7500"],
    [[], { npm_config_relay_port: "7501" }, "npm start -- --relay-port 7501"],
    [[], { npm_config_json: "true" }, "npm start -- --json"],
    [[], { npm_config_accept_loss: "true" }, "npm start -- --accept-loss"],
    [["/tmp/data"], { npm_config_data: "true" }, "npm start -- --data /tmp/data"],
    [
      ["7500", "1"],
      { npm_config_port: "true", npm_config_workers: "true" },
      "npm start -- --port VALUE --workers VALUE",
    ],
    [[], { npm_config_port: "7500", npm_config_json: "true" }, "npm start -- --port 7500 --json"],
    [["--workers", "1"], { npm_config_port: "7500" }, "npm start -- --port 7500"],
    [[], { npm_config_port: "true" }, "npm start -- --port VALUE"],
    [[], { npm_config_data: "a b" }, "npm start -- --data VALUE"],
    [[], { npm_config_data: "$(reboot)" }, "npm start -- --data VALUE"],
    [[], { npm_config_allow_host: "a\n\nb" }, "npm start -- --allow-host VALUE"],
  ])("is reported with the intended command: %j %j", (args, environment, command) => {
    expect(commandMeant(args, underNpm(environment), OPTIONS)).toBe(command)
  })

  test.each([
    ["nothing is set", [], underNpm()],
    ["it is npm's own", [], underNpm({ npm_config_verbose: "true", npm_config_loglevel: "verbose" })],
    ["it is none of ours", [], underNpm({ npm_config_registry: "https://example.com" })],
    ["npm says no", [], underNpm({ npm_config_json: "false", npm_config_port: "" })],
    ["it came through too", ["--port", "7400"], underNpm({ npm_config_port: "7500" })],
    ["it came through with its value", ["--port=7400"], underNpm({ npm_config_port: "7500" })],
    ["another script runs", [], { npm_lifecycle_event: "test", npm_config_port: "7500" }],
    ["no npm runs", [], { npm_config_port: "7500" }],
  ])("is not reported when %s", (_, args, environment) => {
    expect(commandMeant(args, environment, OPTIONS)).toBeNull()
  })
})
