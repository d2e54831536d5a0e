import { sourceHash } from "@sealway/kernel"

const STYLE =
  "body{max-width:28rem;margin:4rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}:root{color-scheme:light dark}"

/** The Content-Security-Policy of the pages that are shown in place of the dashboard. They load nothing. */
export const NOTICE_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${sourceHash(STYLE)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** What is shown in place of the dashboard, and its status. */
export const NOTICES = {
  building: {
    statusCode: 503,
    html: page(
      "The dashboard is being built",
      "This happens once for each version, and takes a few seconds. This page then shows it.",
      '<meta http-equiv="refresh" content="1">',
    ),
  },
  failed: {
    statusCode: 503,
    html: page(
      "The dashboard could not be built",
      "The service's log says why. Reload this page to try again. The API works without it.",
    ),
  },
  missing: {
    statusCode: 404,
    html: page("There is no such file", "It may be of another version of the dashboard. Reload the page."),
  },
  absent: {
    statusCode: 404,
    html: page(
      "This service has no dashboard",
      "It keeps no data, or was installed without it. npm start serves one.",
    ),
  },
} as const

function page(title: string, text: string, head = ""): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p role="status">${text}</p>
</main>
</body>
</html>
`
}
