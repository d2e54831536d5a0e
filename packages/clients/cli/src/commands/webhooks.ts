import type { Command } from "commander"
import type { CommandLine } from "../session/define-action.ts"
import { addWebhookEndpointCommands } from "./webhook-endpoints.ts"
import { addWebhookEventCommands } from "./webhook-events.ts"
import { addWebhookListenCommands } from "./webhook-listen.ts"

export function addWebhooksCommands(program: Command, line: CommandLine): void {
  const webhooks = program
    .command("webhooks")
    .helpCommand(false)
    .description("URLs that receive events, and the events")
  addWebhookEndpointCommands(webhooks, line)
  addWebhookEventCommands(webhooks, line)
  addWebhookListenCommands(webhooks, line)
}
