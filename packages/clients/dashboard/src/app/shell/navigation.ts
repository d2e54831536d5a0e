import { linkOptions } from "@tanstack/react-router"

/** Returns the links to the pages about an app, in the order of the navigation. Only finished pages are listed. */
export function appPages(appId: string) {
  const params = { appId }
  return [
    {
      label: "Home",
      link: linkOptions({ to: "/apps/$appId", params, activeOptions: { exact: true, includeSearch: false } }),
    },
    { label: "Playground", link: linkOptions({ to: "/apps/$appId/playground", params }) },
    { label: "Data roles and policies", link: linkOptions({ to: "/apps/$appId/policies", params }) },
    { label: "Relays", link: linkOptions({ to: "/apps/$appId/relays", params }) },
    { label: "Functions", link: linkOptions({ to: "/apps/$appId/functions", params }) },
    { label: "Enclaves", link: linkOptions({ to: "/apps/$appId/enclaves", params }) },
    { label: "Honey tokens", link: linkOptions({ to: "/apps/$appId/honey-tokens", params }) },
    { label: "Data subjects", link: linkOptions({ to: "/apps/$appId/data-subjects", params }) },
    { label: "Files", link: linkOptions({ to: "/apps/$appId/files", params }) },
    {
      label: "Payments",
      link: linkOptions({ to: "/apps/$appId/payments", params, activeOptions: { includeSearch: false } }),
    },
    { label: "Webhooks", link: linkOptions({ to: "/apps/$appId/webhooks", params }) },
    { label: "Keys", link: linkOptions({ to: "/apps/$appId/keys", params }) },
    { label: "Settings", link: linkOptions({ to: "/apps/$appId/settings", params }) },
  ] as const
}

/** The links to the pages about the team. */
export const TEAM_PAGES = [
  { label: "Apps", link: linkOptions({ to: "/team/apps" }) },
  { label: "Members", link: linkOptions({ to: "/team/members" }) },
  { label: "Audit log", link: linkOptions({ to: "/team/audit-log" }) },
  { label: "Team settings", link: linkOptions({ to: "/team/settings" }) },
] as const
