// Light or dark: the system's theme, or the user's choice.

function useTheme(choice) {
  const isPrinted = document.documentElement.classList.contains('printed'); // light, whatever the screen is
  const isDark = !isPrinted && (choice ? choice === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  const button = byId('theme');
  fill(button, isDark ? '☀ ' : '☾ ', el('span', { class: 'word' }, isDark ? 'Light' : 'Dark'));
  button.setAttribute('aria-label', isDark ? 'Change to the light theme' : 'Change to the dark theme');
}

/** The theme chosen earlier; some browsers store nothing for files. A system with its own colours chooses. */
function chosenTheme(chosen) {
  if (matchMedia('(forced-colors: active)').matches) return null;
  try {
    if (chosen) localStorage.setItem('roll-otel-theme', chosen);
    return localStorage.getItem('roll-otel-theme');
  } catch {
    return chosen || null;
  }
}

/** Applies the theme, and follows the button and the system. */
function followTheme(changed) {
  useTheme(chosenTheme());
  byId('theme').addEventListener('click', () => {
    useTheme(chosenTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
    changed();
  });
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
    matchMedia(query).addEventListener('change', () => { useTheme(chosenTheme()); changed(); });
  }
}

/** On paper the page is light, and its charts are as wide as the paper: a chart is drawn, not laid out. */
function followPrinting(changed) {
  const { classList } = document.documentElement;
  const turn = (isPrinted) => {
    classList.toggle('printed', isPrinted);
    useTheme(chosenTheme());
    changed();
  };
  addEventListener('beforeprint', () => turn(true));
  addEventListener('afterprint', () => turn(false));
}
