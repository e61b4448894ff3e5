/** No cache may keep a key, or its owner. */
export const UNCACHED = { 'cache-control': 'no-store' }
