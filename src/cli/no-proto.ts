/**
 * The first thing that svcctl does, as `node --disable-proto=delete` would: whatever copies a key `__proto__` out of somebody
 * else's JSON makes a field of it, and no prototype. A flag would have to stand in every way this program is started.
 */
Reflect.deleteProperty(Object.prototype, '__proto__')
