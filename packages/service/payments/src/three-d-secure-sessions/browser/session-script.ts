/**
 * The script of the session page in the cardholder's browser: it reports what issuers ask about browsers, lets the
 * issuer take a fingerprint in a hidden frame, shows the issuer's challenge in a visible one, and tells the embedding
 * page when the session is decided. Nothing is decided by what it says: the service asks the issuer.
 */
export const SESSION_SCRIPT = `
const FINGERPRINT_MS = 10000
const POLL_MS = 1000
const POLLS = 120
const { id, appId, origins } = JSON.parse(document.getElementById("data").textContent)
const text = document.getElementById("text")
const cancel = document.getElementById("cancel")
let isOver = false
let isWaiting = false
let pollsLeft = POLLS
let lastCres = null

async function call(body) {
  const response = await fetch("/frontend/3ds/browser-sessions/" + encodeURIComponent(id), {
    method: body ? "PATCH" : "GET",
    headers: { "x-service-app-id": appId, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (response.ok) return response.json()
  if (response.status === 400 && body) return call()
  throw new Error(String(response.status))
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

function postTo(frame, url, name, value) {
  const form = document.createElement("form")
  form.method = "post"
  form.action = url
  form.target = frame.name
  const input = document.createElement("input")
  input.type = "hidden"
  input.name = name
  input.value = value
  form.append(input)
  document.body.append(form)
  form.submit()
  form.remove()
}

function open(name, isShown) {
  const frame = document.createElement("iframe")
  frame.name = name
  frame.title = isShown ? "Your bank" : ""
  frame.hidden = !isShown
  frame.className = isShown ? "challenge" : ""
  document.body.append(frame)
  return frame
}

const finished = (frame) => new Promise((resolve) => {
  addEventListener("message", function listen({ source, origin, data }) {
    if (source !== frame.contentWindow || origin !== location.origin) return
    if (!data || data.event !== "ev-3ds-trampoline") return
    removeEventListener("message", listen)
    resolve(data.cres)
  })
})

async function fingerprint({ url, data }) {
  const frame = open("fingerprint", false)
  const done = finished(frame).then(() => "complete")
  postTo(frame, url, "threeDSMethodData", data)
  const browserFingerprint = await Promise.race([done, pause(FINGERPRINT_MS).then(() => "timeout")])
  frame.remove()
  return call({ browserFingerprint })
}

async function challenge({ url, creq }) {
  const frame = open("challenge", true)
  text.hidden = true
  const done = finished(frame)
  postTo(frame, url, "creq", creq)
  lastCres = await done
  frame.remove()
  text.hidden = false
  isWaiting = true
  pollsLeft = POLLS
  return call({ outcome: "success", ...(lastCres && { cres: lastCres }) })
}

function start() {
  return call({
    frame: { width: innerWidth, height: innerHeight },
    browser: {
      javaEnabled: typeof navigator.javaEnabled === "function" && navigator.javaEnabled(),
      javaScriptEnabled: true,
      language: (navigator.language || "en").slice(0, 35),
      colorDepth: Math.min(Math.max(screen.colorDepth || 24, 1), 99),
      screenHeight: Math.round(screen.height),
      screenWidth: Math.round(screen.width),
      timeZone: (new Date).getTimezoneOffset(),
    },
  })
}

function end(message) {
  if (isOver) return
  isOver = true
  for (const frame of document.querySelectorAll("iframe")) frame.remove()
  cancel.remove()
  text.hidden = false
  text.textContent = message
  document.body.dataset.ended = "true"
  if (parent === self) return
  for (const origin of origins) parent.postMessage({ event: "ev-3ds-trampoline", cres: lastCres }, origin)
}

async function run() {
  let current = await start()
  while (current.status === "action-required" && !isOver) {
    const action = isWaiting ? undefined : current.nextAction
    if (action && action.type === "browser-fingerprint") current = await fingerprint(action)
    else if (action && action.type === "challenge") current = await challenge(action)
    else if (pollsLeft-- <= 0) break
    else {
      await pause(POLL_MS)
      current = await call()
    }
  }
  end("You can return to the shop.")
}

cancel.addEventListener("click", () => {
  call({ outcome: "cancelled" }).then(() => end("Cancelled. You can return to the shop."), () => end("Something went wrong. You can return to the shop."))
})
run().catch(() => end("Something went wrong. You can return to the shop."))
`
