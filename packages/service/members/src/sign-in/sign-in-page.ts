import type { Document } from "@sealway/http"
import { sourceHash } from "@sealway/kernel"
import type { SignInConfiguration } from "@sealway/ports"

/** Where the dashboard is, on the origin where browsers reach the API. */
export const DASHBOARD_PATH = "/dashboard"

const STYLE =
  "body{max-width:28rem;margin:4rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}" +
  "button,a.button{font:inherit;padding:.6rem 1rem;border:1px solid;border-radius:.3rem;background:none;color:inherit;text-decoration:none;cursor:pointer}" +
  ":root{color-scheme:light dark}"

/**
 * The code is after `#`, where no server or log sees it, and it is removed from the address at once. It is used only when
 * somebody clicks: what merely opens links, such as a preview, does not use it up.
 */
const SCRIPT = `
const [, kind, value] = /^#(code|failed)=(.*)$/.exec(location.hash) ?? [];
history.replaceState(null, "", location.pathname);
const text = document.getElementById("text");
const dashboard = document.getElementById("dashboard");
const show = (id) => { document.getElementById(id).hidden = false; };
const send = (method, path, body) => fetch(path, {
  method, credentials: "same-origin",
  headers: { "x-requested-with": "sealway", ...(body && { "content-type": "application/json" }) },
  ...(body && { body: JSON.stringify(body) }),
});
const REASONS = {
  "no-access": "Your account has no access. Ask an owner of the team for an invitation.",
  unavailable: "The identity provider did not respond. Try again.",
};
const showSession = async () => {
  const answer = await send("GET", "session");
  if (!answer.ok) return false;
  const { member, team } = await answer.json();
  text.textContent = "You are signed in to " + team.name + " as " + (member.email ?? member.name) + " (" + member.role + ").";
  show("out");
  if (dashboard !== null) show("dashboard");
  return true;
};
document.getElementById("in").onclick = async (event) => {
  event.target.disabled = true;
  const answer = await send("POST", "sign-in/link", { code: value });
  if (answer.ok && dashboard !== null) { location.replace(dashboard.href); return; }
  event.target.hidden = true;
  if (!answer.ok || !(await showSession())) text.textContent = "The link was used before, or has expired. Get a new one with: npx sealway dashboard";
};
document.getElementById("out").onclick = async (event) => {
  event.target.disabled = true;
  const answer = await send("POST", "sign-out");
  event.target.disabled = false;
  if (!answer.ok) { text.textContent = "Signing out failed. Try again."; return; }
  event.target.hidden = true;
  if (dashboard !== null) dashboard.hidden = true;
  text.textContent = "You are signed out.";
  show("other");
};
if (kind === "code") { text.textContent = "Sign in as owner of this service."; show("in"); }
else if (kind === "failed") { text.textContent = REASONS[value] ?? "The sign-in failed. Try again."; show("other"); }
else showSession().then((isSignedIn) => {
  if (isSignedIn) return;
  text.textContent = document.body.dataset.hint;
  show("other");
});
`

const SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${sourceHash(STYLE)}`,
  `script-src ${sourceHash(SCRIPT)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** Renders the page that signs members in, and leads them to the dashboard. */
export function signInPage({
  provider,
  hasDashboard,
}: Pick<SignInConfiguration, "provider" | "hasDashboard">): {
  readonly body: Document
  readonly headers: Readonly<Record<string, string>>
} {
  const hasProvider = provider !== null
  const hint = hasProvider ? "" : "To sign in, run: npx sealway dashboard"
  const other = hasProvider
    ? '<a class="button" id="other" href="sign-in/oidc" hidden>Sign in with your account</a>'
    : '<span id="other" hidden></span>'
  const dashboard = hasDashboard
    ? `<a class="button" id="dashboard" href="${DASHBOARD_PATH}" hidden>Open the dashboard</a>`
    : ""
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in to Sealway</title>
<style>${STYLE}</style>
</head>
<body data-hint="${hint}">
<main>
<h1>Sealway</h1>
<p id="text" role="status"></p>
<p><button id="in" hidden>Sign in</button> ${other} ${dashboard} <button id="out" hidden>Sign out</button></p>
<noscript>This page needs JavaScript.</noscript>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`
  return {
    body: { format: "page", bytes: Buffer.from(html) },
    headers: {
      "content-security-policy": SECURITY_POLICY,
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
    },
  }
}
