import { expect, test } from "vitest"
import { prepareWrite, WRITING } from "./explore/programs/writes.ts"
import { World } from "./explore/world/world.ts"

/** What each endpoint writes into the audit log: action, kind of target, names of details. */
const RECORDS: Readonly<Record<string, readonly string[]>> = {
  "create-client-side-token": [],
  "rotate-keys": ["app.rotate-keys app"],
  "create-data-role": ["data-role.create data-role accessLog archived mask slug"],
  "update-data-role": ["data-role.update data-role accessLog archived mask slug"],
  "delete-data-role": ["data-role.delete data-role accessLog archived mask slug"],
  "create-data-policy": ["data-policy.create data-policy effect name requiresReason reveal roles"],
  "update-data-policy": ["data-policy.update data-policy effect name requiresReason reveal roles"],
  "delete-data-policy": ["data-policy.delete data-policy effect name requiresReason reveal roles"],
  "update-team": ["team.update team"],
  "create-team-key": ["team-key.create team-key expiresAt scopes"],
  "revoke-team-key": ["team-key.revoke team-key"],
  "update-app": ["app.update app custody"],
  "create-api-key": ["api-key.create api-key expiresAt scopes"],
  "narrow-api-key": ["api-key.narrow api-key scopes scopesBefore"],
  "rotate-api-key": [
    "api-key.create api-key expiresAt requestsPerSecond scopes valuesPerSecond",
    "api-key.rotate api-key endsAt successor",
  ],
  "revoke-api-key": ["api-key.revoke api-key"],
  "update-member": ["member.update member role roleBefore"],
  "delete-member": ["member.delete member email role"],
  "create-invitation": ["invitation.create invitation email role"],
  "revoke-invitation": ["invitation.revoke invitation email"],
  "revoke-member-session": ["session.revoke session memberId"],
  "create-sign-in-link": ["member.create member email role", "sign-in-link.create sign-in-link memberId"],
  "create-enclave": ["enclave.create enclave name pcr0"],
  "delete-enclave": ["enclave.delete enclave name pcr0"],
  "create-honey-token": ["honey-token.create honey-token alertHost name role"],
  "delete-honey-token": ["honey-token.delete honey-token alertHost name role"],
  "create-format": ["format.create format archived name role version"],
  "update-format": ["format.update format archived name role version"],
  "rotate-format": ["format.rotate format archived name role version"],
  "create-file": ["file.create file role size"],
  "delete-data-subject": [
    "data-subject.delete data-subject eraseAt",
    "data-subject.erase data-subject requestedAt",
  ],
  "restore-data-subject": ["data-subject.restore data-subject"],
  "create-webhook-endpoint": ["webhook-endpoint.create webhook-endpoint events host status"],
  "update-webhook-endpoint": ["webhook-endpoint.update webhook-endpoint status"],
  "delete-webhook-endpoint": ["webhook-endpoint.delete webhook-endpoint"],
  "rotate-webhook-secret": ["webhook-endpoint.rotate-secret webhook-endpoint overlapSeconds"],
  "test-webhook-endpoint": ["webhook-endpoint.test webhook-endpoint"],
  "replay-webhook-event": ["webhook-event.replay webhook-event endpoints"],
  "trigger-webhook-event": ["webhook-event.trigger webhook-event type"],
  "create-webhook-listener": ["webhook-listener.create webhook-listener events"],
  "delete-webhook-listener": ["webhook-listener.delete webhook-listener"],
  "deploy-function": ["function.deploy function deployment language name"],
  "create-relay": [
    "relay.create relay authentication caseSensitiveNames clientCertificate destination encryptEmptyStrings forwardedHeaders leakWatch passContentTypes rewriteLocations routes serverTiming unencryptableErrors unknownContentTypes unmatched",
  ],
  "update-relay": [
    "relay.update relay authentication caseSensitiveNames clientCertificate destination encryptEmptyStrings forwardedHeaders leakWatch passContentTypes rewriteLocations routes serverTiming unencryptableErrors unknownContentTypes unmatched",
  ],
  "create-relay-custom-domain": ["relay-custom-domain.create relay-custom-domain domain relay"],
  "create-relay-alert": ["relay-alert.create relay-alert host relay type"],
  "update-relay-alert": ["relay-alert.update relay-alert host relay type"],
  "delete-relay-alert": ["relay-alert.delete relay-alert host relay type"],
  "test-relay-alert": ["relay-alert.test relay-alert host relay type"],
  "create-bin-table": ["bin-table.create bin-table"],
  "put-bin-table-rows": [],
  "activate-bin-table": ["bin-table.activate bin-table rows"],
  "delete-bin-table": ["bin-table.delete bin-table"],
  "create-merchant": ["merchant.create merchant"],
  "update-merchant": ["merchant.update merchant fields"],
  "delete-merchant": ["merchant.delete merchant"],
  "create-acquirer": ["acquirer.create acquirer"],
  "update-acquirer": ["acquirer.update acquirer fields"],
  "delete-acquirer": ["acquirer.delete acquirer"],
  "create-network-token": ["network-token.create network-token"],
  "delete-network-token": ["network-token.delete network-token"],
  "simulate-network-token-update": ["network-token.simulate network-token"],
  "register-card": ["card.create card"],
  "delete-card": ["card.delete card"],
  "simulate-card-update": ["card.simulate card"],
  "create-card-subscription": ["card-subscription.create card-subscription"],
  "delete-card-subscription": ["card-subscription.delete card-subscription"],
  "simulate-account-update": ["card-subscription.simulate card-subscription"],
  "create-retry-enrolment": ["merchant.update merchant fields"],
  "delete-retry-enrolment": ["merchant.update merchant fields"],
  "create-retry-watch": ["retry-watch.create retry-watch"],
  "delete-retry-watch": ["retry-watch.delete retry-watch"],
  "simulate-retry-signal": ["retry-watch.simulate retry-watch"],
  "simulate-pre-chargeback-alert": ["chargeback-alert.simulate chargeback-alert"],
  "update-pre-chargeback-alert": ["chargeback-alert.update chargeback-alert outcome"],
  "set-connector": ["connector.set connector host"],
  "delete-connector": ["connector.delete connector"],
  "rotate-connector-secret": ["connector.rotate-secret connector overlapSeconds"],
  "create-3ds-session": [],
}

test.each(WRITING)("the audit log says what %s has changed, and who did it", async (id) => {
  const world = new World()
  const { given, request } = await prepareWrite(world, id)
  const { platform } = world.start()
  const read = async () => (await Array.fromAsync(platform.audit.read(given.team.id, null))).toReversed()
  const before = (await read()).length
  await world.start().send(id, request)
  const records = (await read()).slice(before)
  const told = records.map(({ action, target, details = {} }) =>
    [action, target.type, ...Object.keys(details).sort()].join(" "),
  )
  expect(told).toEqual(RECORDS[id])
  for (const { actor, target, ip } of records) {
    expect([actor.id, target.id, ip]).not.toContain("")
    expect(["api-key", "team-key"]).toContain(actor.type)
  }
})
