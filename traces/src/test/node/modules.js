// The page's scripts, for tests without a browser: what needs a document is for the browser's tests.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const PAGE = path.join(__dirname, '../../main/resources/io/rollotel/traces/page');

/**
 * Loads scripts in the order given, as the page does.
 *
 * @param scripts names such as 'format', each after those that it needs
 * @param names what the test uses of them
 */
function load(scripts, names) {
  const source = scripts.map((script) => fs.readFileSync(path.join(PAGE, `page-${script}.js`), 'utf8')).join('\n');
  return new Function(`'use strict';\n${source}\nreturn { ${names.join(', ')} };`)();
}

module.exports = { load };
