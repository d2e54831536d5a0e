import { createTheme, Modal, NativeSelect, Notification, Table, TagsInput } from "@mantine/core"

/**
 * Defaults of components. Colours and fonts are in `app.css`: what Mantine would write for them into the page is inline
 * style, which the page's Content-Security-Policy does not allow. For the same reason no component may get responsive
 * style properties, such as `p={{ base: "sm" }}`, and modals do not lock scrolling.
 */
export const theme = createTheme({
  respectReducedMotion: true,
  components: {
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true } }),
    // On a phone, a long option would make the page wider.
    NativeSelect: NativeSelect.extend({ defaultProps: { maw: "100%" } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { "aria-label": "Close" } } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: "sm" } }),
    // Enter takes what is typed. After the last one, it must not submit the form.
    TagsInput: TagsInput.extend({
      defaultProps: {
        onKeyDown(event) {
          if (event.key === "Enter" && event.currentTarget.value === "") event.preventDefault()
        },
      },
    }),
  },
})
