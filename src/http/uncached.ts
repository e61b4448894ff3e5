/** No cache may keep a key, or whose it is. */
export const UNCACHED = { 'cache-control': 'no-store' }
