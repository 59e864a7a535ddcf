// Code that the engine generates, on every stack that allocates: objects that need memory from
// outside its own heap.
'use strict';

const zlib = require('zlib');

function digest(text) {
  let sum = 0;
  for (const byte of Buffer.from(text)) sum = (sum * 31 + byte) >>> 0;
  return sum;
}

function work(rounds) {
  let sum = 0;
  for (let i = 0; i < rounds; i++) {
    const list = [];
    for (let k = 0; k < 50; k++) list.push({ key: 'k' + k, value: i * k, text: 'x'.repeat(k) });
    const json = JSON.stringify(list);
    const packed = zlib.deflateSync(json, { level: 1 });
    const again = JSON.parse(zlib.inflateSync(packed).toString());
    sum = (sum + digest(json) + again.length + Buffer.alloc(9000).length) >>> 0;
  }
  return sum;
}

console.log(work(Number(process.argv[2])));
