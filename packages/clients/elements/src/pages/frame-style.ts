/**
 * The style of all frames. Pages change its variables; both schemes have their own values, with a contrast of at least
 * 4.5 for texts and 3 for borders.
 */
export const FRAME_STYLE = `
:root{color-scheme:light dark;--color:#1b1f24;--placeholder:#5f6873;--background:#fff;--border:#7b8591;--focus:#0b5fd0;--error:#b3131d;--label:#3d4651;--accent:#0b5fd0;--radius:6px;--font-size:16px;--padding-block:10px;--padding-inline:12px;--font:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
:root[data-scheme=light]{color-scheme:light}
@media (prefers-color-scheme:dark){:root:not([data-scheme=light]){--color:#eef1f4;--placeholder:#a4aeb9;--background:#1b1f24;--border:#7f8995;--focus:#6cb0ff;--error:#ff9a9f;--label:#c3cbd4;--accent:#6cb0ff}}
:root[data-scheme=dark]{color-scheme:dark;--color:#eef1f4;--placeholder:#a4aeb9;--background:#1b1f24;--border:#7f8995;--focus:#6cb0ff;--error:#ff9a9f;--label:#c3cbd4;--accent:#6cb0ff}
*{box-sizing:border-box}
html,body{margin:0;background:transparent;overflow:hidden}
body{padding:3px;font:var(--font-size)/1.4 var(--font);color:var(--color)}
.fields{display:grid;gap:0 10px;grid-template-columns:minmax(0,1fr)}
.fields.card{grid-template-columns:repeat(2,minmax(0,1fr))}
.fields.card .number{grid-column:1/-1}
@media (min-width:560px){.fields.card{grid-template-columns:minmax(0,2fr) minmax(0,1fr) minmax(0,1fr)}.fields.card .number{grid-column:auto}}
label{display:block;margin:0 0 4px;font-size:.875em;color:var(--label);white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.box{display:flex;align-items:center;background:var(--background);border:1px solid var(--border);border-radius:var(--radius);transition:border-color .15s,box-shadow .15s}
.box:focus-within{border-color:var(--focus);box-shadow:0 0 0 2px var(--focus)}
.box:has([aria-invalid=true]){border-color:var(--error)}
.box:has([aria-invalid=true]):focus-within{box-shadow:0 0 0 2px var(--error)}
input{flex:1;min-width:0;border:0;outline:0;background:none;padding:var(--padding-block) var(--padding-inline);font:inherit;color:inherit;border-radius:inherit;text-align:start}
[dir=rtl] input[dir=ltr]{text-align:right}
input::placeholder{color:var(--placeholder);opacity:1}
input:disabled{opacity:.6}
.mark{display:block;width:40px;height:26px;margin-inline-end:var(--padding-inline);color:var(--placeholder)}
.error{margin:4px 0 8px;height:1.4em;font-size:.8125em;color:var(--error);white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.reveal .box{min-height:calc(1.4em + 2*var(--padding-block) + 2px)}
.value{flex:1;min-width:0;margin:0;padding:var(--padding-block) var(--padding-inline);max-height:calc(1.4em + 2*var(--padding-block));white-space:pre;overflow:auto;scrollbar-width:none;unicode-bidi:plaintext;user-select:none}
.value:focus-visible{outline:2px solid var(--focus);outline-offset:-2px;border-radius:inherit}
.value.quiet{color:var(--placeholder)}
.value.wrong{color:var(--error)}
button{margin-inline-end:6px;border:1px solid var(--border);border-radius:var(--radius);background:none;color:var(--accent);font:inherit;font-size:.875em;padding:4px 10px;cursor:pointer;min-height:28px}
button:focus-visible{outline:2px solid var(--focus);outline-offset:1px}
@media (prefers-reduced-motion:reduce){*{transition:none!important}}
@media (forced-colors:active){.box:focus-within{outline:2px solid Highlight}}
`.replaceAll("\n", "")
