/**
 * A caller's own id of a data subject: what a header can carry as it is. Without comma: a header that is sent twice arrives
 * as both values with one between them (RFC 9110, section 5.2), and nobody would erase by this id.
 */
export const DATA_SUBJECT = /^[!-+\--~]{1,128}$/
