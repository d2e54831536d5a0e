import "@mantine/core/styles.css"
import "@mantine/notifications/styles.css"
import "./app.css"
import { MantineProvider } from "@mantine/core"
import { Notifications } from "@mantine/notifications"
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { createQueryClient } from "./api/query-client.ts"
import { router } from "./router.tsx"
import { SessionGate } from "./session/session.tsx"
import { theme } from "./theme.ts"

const root = document.getElementById("root")
if (root === null) throw new TypeError("The page has no root")

createRoot(root).render(
  <StrictMode>
    {/* Both would be inline styles. Their content is in Mantine's style sheet and in app.css. */}
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <Notifications position="top-right" />
      <QueryClientProvider client={createQueryClient()}>
        <SessionGate>
          <RouterProvider router={router} />
        </SessionGate>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
