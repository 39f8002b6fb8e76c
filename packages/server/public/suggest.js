/**
 * The list below the search box: what is being typed, completed. A combobox with a list of options (ARIA Authoring
 * Practices: editable combobox with list autocomplete); without this script the box works as it is.
 */

/** Milliseconds without a key before the server is asked. */
const PAUSE = 120
/** Longer texts are not completed. */
const MAX_LENGTH = 100

const input = document.querySelector('.search input[name="q"]')
if (input !== null) complete(input)

function complete(input) {
  let typed = input.value
  let active = -1
  let timer
  let request

  const form = input.form
  const list = document.createElement('ul')
  list.id = 'suggestions'
  list.className = 'suggestions'
  list.hidden = true
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', form.dataset.suggestions)
  form.append(list)
  input.setAttribute('role', 'combobox')
  input.setAttribute('aria-autocomplete', 'list')
  input.setAttribute('aria-controls', list.id)
  close()

  function close() {
    list.hidden = true
    active = -1
    input.setAttribute('aria-expanded', 'false')
    input.removeAttribute('aria-activedescendant')
  }

  function forget() {
    clearTimeout(timer)
    request?.abort()
    close()
  }

  function show(suggestions) {
    close()
    list.replaceChildren(
      ...suggestions.map((text, i) => {
        const option = document.createElement('li')
        option.id = `suggestion-${i}`
        option.dir = 'auto'
        option.setAttribute('role', 'option')
        option.setAttribute('aria-selected', 'false')
        option.textContent = text
        return option
      }),
    )
    list.hidden = suggestions.length === 0
    input.setAttribute('aria-expanded', String(!list.hidden))
  }

  /** @param index −1: what was typed */
  function activate(index) {
    list.children[active]?.setAttribute('aria-selected', 'false')
    active = index
    const option = list.children[index]
    input.value = option?.textContent ?? typed
    if (option === undefined) {
      input.removeAttribute('aria-activedescendant')
      return
    }
    option.setAttribute('aria-selected', 'true')
    option.scrollIntoView({ block: 'nearest' })
    input.setAttribute('aria-activedescendant', option.id)
  }

  async function ask() {
    const text = typed.trim()
    if (text === '' || text.length > MAX_LENGTH) return close()
    request = new AbortController()
    const { signal } = request
    try {
      const answer = await fetch(`/api/v1/suggest?q=${encodeURIComponent(text)}`, { signal })
      if (!answer.ok) return
      const { suggestions } = await answer.json()
      if (!signal.aborted && document.activeElement === input) show(suggestions)
    } catch {
      // a later key has taken its place, or the server is away: there is no list
    }
  }

  input.addEventListener('input', (event) => {
    typed = input.value
    clearTimeout(timer)
    request?.abort()
    if (active >= 0 || typed.trim() === '') close()
    // letters that an input method has not made characters of are no text yet
    if (!event.isComposing) timer = setTimeout(ask, PAUSE)
  })
  input.addEventListener('compositionend', () => {
    typed = input.value
    clearTimeout(timer)
    timer = setTimeout(ask, PAUSE)
  })

  input.addEventListener('keydown', (event) => {
    if (event.isComposing || list.hidden) return
    const count = list.children.length
    if (event.key === 'ArrowDown') activate(active + 1 === count ? -1 : active + 1)
    else if (event.key === 'ArrowUp') activate(active === -1 ? count - 1 : active - 1)
    else if (event.key === 'Escape') {
      activate(-1)
      forget()
    } else return
    event.preventDefault()
  })

  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', (event) => {
    const option = event.target.closest('[role="option"]')
    if (option === null) return
    input.value = option.textContent
    forget()
    form.requestSubmit()
  })
  input.addEventListener('blur', forget)
  form.addEventListener('submit', forget)
}
