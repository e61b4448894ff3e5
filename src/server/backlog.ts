/**
 * Connections that may wait to be accepted. The kernel drops the others, whose clients try again after 1, 3, 7 and 15 s, and limits
 * this number to `net.core.somaxconn`. Node's own is 511, which a flood fills in a moment.
 */
export const BACKLOG = 4096
