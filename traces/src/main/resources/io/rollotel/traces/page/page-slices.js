// The step of each item, for views of single steps. Items know only their parents, so this is exact
// if every span is an item, and unknown if several were merged.

/**
 * The place of each item's step, -1 if it is in none; and the steps' items by their start. A step
 * is the outermost item of the steps' name.
 */
function stepsOfItems(model) {
  if (model.slices) return model.slices;
  const of = new Int32Array(model.items).fill(-2);
  const steps = [];
  const stepName = model.stepName;
  const chain = [];
  for (let item = 0; item < model.ended; item++) {
    let at = item;
    while (at >= 0 && at < model.ended && of[at] === -2) {
      chain.push(at);
      at = model.parent[at];
    }
    let step = at >= 0 && at < model.ended ? of[at] : -1;
    while (chain.length > 0) {
      const next = chain.pop();
      if (step < 0 && model.name[next] === stepName && !(model.flags[next] & DISPATCH)) step = steps.push(next) - 1;
      of[next] = step;
    }
  }
  const order = steps.map((_, i) => i).sort((a, b) => model.start[steps[a]] - model.start[steps[b]] || model.end[steps[b]] - model.end[steps[a]]);
  const places = new Int32Array(steps.length);
  order.forEach((step, place) => { places[step] = place; });
  model.slices = { of: of.map((step) => (step < 0 ? -1 : places[step])), steps: order.map((step) => steps[step]) };
  return model.slices;
}
