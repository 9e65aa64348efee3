// Runs the search of a site as a page does: with the theme's own worker.
//   search.js SITE <QUERIES    one query a line; prints the results of each as a line of JSON
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const site = process.argv[2];
const workers = path.join(site, "assets", "javascripts", "workers");
const name = fs.readdirSync(workers).find((file) => /^search\..*\.js$/.test(file));
const replies = [];
let listener;
const worker = vm.createContext({
  addEventListener: (type, called) => { listener = called; },
  postMessage: (message) => replies.push(message),
});
worker.self = worker;
vm.runInContext(fs.readFileSync(path.join(workers, name), "utf8"), worker);

async function main() {
  const index = fs.readFileSync(path.join(site, "search", "search_index.json"), "utf8");
  const kSetup = 0, kQuery = 2;  // the theme's types of messages
  await listener({data: {type: kSetup, data: {...JSON.parse(index), options: {suggest: true}}}});
  for (const query of fs.readFileSync(0, "utf8").trim().split("\n")) {
    replies.length = 0;
    await listener({data: {type: kQuery, data: query}});
    const pages = replies[0].data.items.map((sections) => sections.map((one) => one.location));
    console.log(JSON.stringify(pages));
  }
}

main();
