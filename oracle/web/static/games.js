// The games offered by name, each with a position to begin with.

export const GAMES = [
  ["chomp", "chomp:7/7/7/7/7"],
  ["chomp3", "chomp3:[12,0,0]"],
  ["chomp3large", "chomp3:[3000,0,0]"],
  ["chompPass", "chomp:5/5/5;1"],
  ["nim", "nim:[3,5,7]"],
  ["nimMisere", "nim{misere}:[3,5,7]"],
  ["nimMax", "nim{max=3}:[10,6]"],
  ["nimPass", "nim:[1,4,6;1]"],
  ["nimHeapPass", "nim{heappass}:[3p,5]"],
  ["wythoff", "wythoff:[6,10]"],
  ["wythoff3", "wythoff{rule=all}:[3,5,7]"],
  ["divisors", "divisors:2^3*3^2"],
  ["divisors3", "divisors:2^2*3^2*5"],
  ["kayles", "kayles:[5,8]"],
  ["dawson", "dawson:[9,12]"],
  ["toads", "toads:TTT..FFF"],
  ["sum", "chomp:3/3 + nim:[3,5] + kayles:[6]"],
  ["sumMisere", "misere{chomp:3/2 + nim:[4]}"],
];

/** Whether boards of a position are drawn by clicking. */
export function isDrawn(position) {
  return Boolean(position.reshaped) && (position.kind === "board" || position.kind === "strip");
}
