/**
 * The first thing that svcctl does, as `node --disable-proto=delete` would: code that copies a key `__proto__` out of
 * JSON from elsewhere then makes a field, and no prototype. A flag would have to be given in every way this program is
 * started.
 */
Reflect.deleteProperty(Object.prototype, '__proto__')
