import { mount } from 'svelte'
import App from './App.svelte'

export const mountPage = (target: HTMLElement) => mount(App, { target })
