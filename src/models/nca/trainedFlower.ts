// Written by `npm run bench:nca` (its flower.safetensors), November 2026: 3,148 bfloat16 codes, little-endian, base64.
import { fromBits, sizeOf, type Tensor } from '../../tensors/tensor/index.js'
import type { NcaParams } from './ncaParams.js'

const [kernels, channels, hidden] = [3, 12, 64]

/**
 * An automaton that has learned to grow `drawPicture('flower')` from one cell and to heal it, in 2,500 steps of
 * `growth` with two of four states damaged: 12 channels, the three kernels of a plane, alive by channel 3, half of the cells firing.
 * Weights were rounded to bfloat16 once they were learned.
 *
 * @example trainedFlower().w1.shape // [36, 64]
 */
export function trainedFlower(): NcaParams {
  const bytes = Uint8Array.from(atob(weights.join('')), (letter) => letter.charCodeAt(0))
  const view = new DataView(bytes.buffer)
  let at = 0
  const next = (...shape: number[]): Tensor<'bfloat16'> => {
    const size = sizeOf(shape)
    const codes = Uint16Array.from({ length: size }, (_, i) => view.getUint16(2 * (at + i), true))
    at += size
    return fromBits(codes, { shape, dtype: 'bfloat16' })
  }
  return {
    w1: next(kernels * channels, hidden),
    b1: next(hidden),
    w2: next(hidden, channels),
    b2: next(channels),
  }
}

const weights: readonly string[] = [
  'vr1Hvjg+ED2hPoM9Sr4NPek9pj1/PvW9SL7nvLE9kr6hvCC+Oz7hPWk+Dj8oPVm/GD4dvkS+TL3jPLM9o72ovjW+9j1WvtK+rrzl',
  'PZa+WL6yvYQ+oDw2vj+99T3HPZC+mj3AvQy+ib4Kvou9H75fvhC/oLyMvqA+mb3WvsG+dr0ZviA9wr5NPkG+tD5xvY++Er+UPkk+',
  'nb0Gvpo+rTzXvvM8Kb6vPcS+dT4FvxG/yT7wPWE+Tr5DPQ4+3j3jvnO+or14vmk+d76OPnC+nL6rPAw+T7uQvmU9TD61PTq/YT4e',
  'Pu688zxwvsU91b2zPtU9Cr6avmG+jD0RPos+OLumvvi9Az6vvsC9dj1sPke+0704vie+C76Wvn0+/TzHPc69HD5KPie94bwnPby+',
  'Wb6Svqw+Srx8vku9dr5NPS295L1AvqK8aT70vbw+Gr5Mvde8oLwDPnq9uzwPvgE+6D5BPYC+xr13vpK+dL60PJi+hL2WvOu+aTzR',
  'vSO+O74cvj6+N76Zvb+8KD2pPTK+bD2qPcm+Vr51Pda+Ir0AvgQ9HD6uvbE+LL4ePjm+Fr7ovqG9Lz4UvjM9ML6VvY++v712O4g+',
  'JL6hvYg+tD0OPng+/r2MPaK+q73KvDa9hzycvt09nb6IvQ++GTxIPhO+2LzFPUS+MD5gvnY7Wz0vPRG89TyGPWI+M757vpg93DxC',
  'PdE+ZT3mvfm8PD4qPYe8Zr6hPqC9Ej42Pnq9HD7vPRo9lD2oPbA9bL6UPSk+Xj7Pur++iz45vpk9PD4zvh6+Ir4rPSa+OD6QvZ89',
  'VL4wvoO+DD6Xvlk+Kz4Vvbm9wTzhvZc+XD4fvrA++L0zPUQ9sj2VPlC+kz1CvjG9A7swPqW+Ej0FvY++ur7oPWW+Lz4SPk++Ir5K',
  'Pn6+i76Iu9U9p70VPYO9L77tvZW9rr7ovgs+Oj5HvTq7JD5zvlW+y72vvXy9gb77PM2+Nb4+vpa+8L0yvrq8yr0Ovru+JD4fvQi+',
  'LD2BPSm+b72pvny9vb4Av0O+I75IvgW+iLwQPUS+7z3Svmc9Q77OPVM9FLxrviw+KT2cOhM9drsPPjg+AT4yvdM8m73/vrY9h73A',
  'vmS8SD7JPZO+GD7Wvqw9BTuIvtS+ob4JvkO69721vQ690r3YvNw9+D1KvoA+kT7ZviE+mT5wvia+2r5gPI07bb4XvrY7Wb6VvTa9',
  'fL5ovpu+RT3TvN09fzmkPkW8hr5Qvl69Tr5rvT+9nzzLvVG+Ar64PUk+rj18Pp092b78vdO8Uby5vkK+hz3iveC9GT2dvcI9jD7g',
  'vam9Hr0Lvug8Xr2ivbW+TD1fPsA9FT5xPiU+qr6FviG9gb2Jvv49Eb7wvV8+qb0mPd69ET5OvlA+fr6YvXM+B71+vn89pj1jvZe+',
  'I74DPge+47utvJy9kD1iPqo9Pb6APAK9Oj5jveU9ir40vQo+XD4ZPgE+Sb7LvBq+FD76PSQ8Vb6xvYm+jL5IPaS+Zb3LvNC9x735',
  'PS6+Y74OPqk9sr5sPGe+Qj3nvWK+WTvNvhK+Er6yPSS+3j3APfa9lL4Yvnq+DL5zvpI9Xb7qvfO9Dj7IvqI9ur24vWq+KLvWvsm7',
  'UT0TvlK+ar4yPhm+nr1jvoc+j76wPZw+vT15vMo9gr54PbG9VT5+vE2+Zr71PbU+qb19vSO7Kz6HPr692rxUvhI9ZL4qPro+Bz52',
  'Pea9hb1uPba+2z3tvZu+n76Cvm6+Mj6aPc69lL0avr09jz6yPoa+fj10PrC+xbyCPZS+Sz3OvVE9gb43vu69+b3NPZk+AT3PPVi9',
  'BD7cPYG+hb6FO3e7xj3YvYG+nb3EvSi+Xz4Nvko+ML5evuw9rD2Kuya+IL0svmW+Br0MvcU9Oj35vZC+Ur6+PYe+972CvkC+6rzX',
  'voq+iT6DPRm9jb1tvby9T70LvqY+Fr4cvQS+KD4uPS+9Zr7xPbG9Dj7pvT+9Sb6XvRi+CT4jvoe8PT7+vhM9NL6FviW+Wr5gvgs+',
  'LD6Wvi++o70lvqM9D71Dvsi9g74CPhU9M77vvWG+Nr70vcS7ZDyTPiK9xj3ZPVW+pDwivj26dL6svZ+9yr7aPrO9hT3Nvik+ZT7R',
  'vvE9Mj5mvk6+FT6ivgO+Er7Evf+9vb7UPgS+p725PDG8A751vhu9xT2BPju9H72ePtI+bj6VvAy9jrzZPvw9BT+FPqE9Kz6sPS6+',
  'eT2Yvl6+j706vqK9az6zPqs9Nb5bPjU+Hz2ZvY6+Pj2Jvh2+Cj52PjQ+Ir4PPpS9Kj6cPvS9jj5NPY0+cj1qvS0+Pb4EPoW+tL2x',
  'vgU+TD4zPru+ir4lviQ9kj4ivsm9pr0Yvvq+aL3DPpy+kj4Fvpg7e7wiPqo9WD7NPdq9jD7vvQG/tr02Pni9rj4Qvmk+ezyRvpW+',
  'ubwIvIG+iL7SPow9vb3Fvbq95j2MvSq+Gj6gPoo+kz0Bviw+GL16vfE9SL7YvSA+qjzOvAk8gz7QvXU+Ez5GPri9Eb5OPqI+Dj7K',
  'vV48UT4Cvai+jr7HPj8+iT1vvKw+F70XPh4+4L0FviE+MT6CPWg7Cz5pvdk9Yz5FvXA+9L2MPjs+YD5mPsm94z15vEM+6T3APMG+',
  'q70rPuO9Iz6AvOY+wLzmPTU9Hj6CvkM+Kb4CPXI+B75XPdO8jL0/PXk+ED5Cvk+9Z70LPoc+d72MvEI+QL1hvA6+VL0hPq89eb4N',
  'vlC+oj27vpU9+z7cvUa+8T1+vVq7tD2XPkI+cb1pPrk9OD2/vpk+nL7vOwO+7zyJPia+v7zyPe49vzxNvZg+u72KPfC9ej3QPSm+',
  'WTvUPmA9Qz2jPE0+ZD6MPUI+m7yQvXs++j3XPfM+TL4gvhm/mz6hvsU9h75GPg8/8L3qvu89mj3yPNE91Ly9PVA+Sb2vvRW+dL5n',
  'vgE+C75lPPq9UD3UvJY9V71QvVe90D1kvWg+Hj2uPW4+4D11vca7Rj6iPUU8fb3CPbM9NT4TPi8+qT5bPnG9qD2TPYG9k71LvXk9',
  'RL1nvTW+cz1SPqc9Vr2YPui+/7zjvci8oj2hvXm9vDw9PgA+oj6aPhG+sr2gvae8G75yvrW+qT2RPqE9XT5APDc9Ib53PlS+rD7z',
  'PRY+m76dvs694b4wvak9WD4mvqE9FT2dPrg85rzYPuc99rwrvYQ90j0DvUM93L29Pjw+ib11Pq28A725PiO++L0HvUg+dD7bPri+',
  'Lj5KPgM9Ab5cvna+kT0LPXu+kT2hPcu9xL3jPZO8nL7EPUq+Br5WPVo9Qj0Evv09vb4BvvG96D2RPp89Ij0YvvA+Jr1/Pgw+zz1w',
  'PQ0+VLwVvac+pz2wPYg+YL2mPjm+pr0uvrY+6b6BPgs+UT5MPlk+xL63vvK+gD56vl0+pr4Vvco8Ob4xvei9Cj49vpE+Z76cPj8+',
  'lD5Zvsc+Ar4PPsM9s75wvXQ9wj0evA49oT61vvQ8NbwBPoQ+wD4Bvog9VD7VvcG+nz5FvWc8FT4OvcY9Gb5nPmM9vD7svXo+Fz5/',
  'PiK+pjzzu1w+XD2qPi0+7T4vvcM9KrwKPm++4D2SPaM+hLwrvkk9Yr3bPTa+Cj9wvjg+Qz5Evjq+Nr6hvrq+rj39PUQ+J7ytu7I9',
  'Vz7PPAS+Uj44vge+gr0BPg8+9r6GPiw+XL2MPv+8cz7dPFo8pT3xPc+8fj2pPec7YL6APY6+8D2nviw+i74Bvg0+mb4EPnu9975j',
  'Pr88Nr0hvgC9yD7euyU+0b0QvDs+oz0MPZW91T0Evim+Pr3Tvj6+qL0EO0a+Jr5+Pp49xD3/Pbq9Gb7Nvoo8Sj5qvhG+sD0uvnU+',
  'uz2nPuO9Pj4/PHC+gz0mvhe+pzwKvms+qr1Cvh6+Vb0hvhy+jj31u0A+9D6qvvs9M74Sv3q+cz6YPdQ9tr1uvAg+yD11vu69PL50',
  'PYQ+Oj6jvb++iT0XPlW+Yz55vqc+qr49voc+l7xjPNM9eD6IvUW+aL7cu7I93L0vPcC8Rz4tPJ89UD7hvbO9wT4UPVq+kL5LO00+',
  'lD6YPvK9Dj5PPmm+Uz7yvVw+SD6IPVu+wj2VvrA9KL4BPYy+Oz3FvY8+HD7VPWW+KT7ZPd+9Cj6SvM28Zr75uzm+4756vQa+NT6I',
  'Phu+Ar5Ivvw95Ly7vdk9bD4EPO09AT0Xvtu87b59vpc9Kb25vn8+t7vPPHm9J7oFvby+ir76vFG+7r3SPrO9RL6BPS89nj7uvZO+',
  'FL6NPjO+Nz53PCO8Ur0NvpW8wz2BvrY9Br7YvRy/KT5IPDu+pb3Gvc89bz0tvhM+dT1nPWk+Ar7vPnW+nz4wPma9VD6Evrq9375C',
  'vla+JD7FPI6+Oj1iPm6+OT5FPnM+jL3MvJK9zT2EPlE+9T7EPdC9OT7qPeg8PT2JvaE+DT3Xvgk/3755vve8hz7Dva4+vT4Ev6O9',
  'rz4yvxi+Aj4uvxK+sr7jPqK+6T3sPRm+fj2pPFQ+F72Kvc++L755PV0+jD4GPn2+TD7Mu6O8mT1Fvqm91L3vPfe82DybPh0+lr1u',
  'PgW9FT3ivRo+Rb41vmI+bj59PYs+iD0Mvp49Br5/vk88t77SPW0+XD7jPY++1LtZvp0+sL2aPnO+ZL5QvXC9gb7UvNo8wb5Hvoe+',
  'AD4WPgu9gj71PNg8nbyrPuu9wj28Ple9B70XPpG+Nb03PSi+Xz61Pn69gr1bPWS7WL1LvDo8ED6sPdc9Gr4SPlO+wLs4PnU+Cz59',
  'PYI+Sr4XvgE+Gr5+u0m+872ZPns9Pb4evCs+kD5/vj8+t70svio+iD18PeG8nz1/vm6+B76ivbg+hT3FPjs8DT+0PXw+nr6kPrg+',
  'rb5FPhu+S76ZPEI+dL2KPfW9BL2fPaU+R75TvAi+Ej4GPuo6rr0VPXE+9j0mPU0+Wb4JPym+V74sPsQ+Ab60Puw+Jr3Gvus+fT0R',
  'Pja+Wr2KvKA8Hbx1vls84T1mvrq9Wz52voI+A74evgc/Qz6hPme9Ybu0PoK+VD5Mvmw+Jr5Bvsc+cz7IumU+oT6bvYG+zD1HvbK9',
  'Yj69PYc9aj3MPc48Jz6sPfI8kz5nvmW+KL4uPhU+0L0uPnu9rj4bPiE+Kr7CPrk8AD7RvbO8o76dPWs9AD5AvnO+Ar4NvUY+n7t8',
  'PTO+UT5QvqW+2z1lPt0+iz1yPmY+mj7nPeK9Or2zPnq+pD4nvWw9kjyMPve75TwOvbq9mb5YPoa9KD22O7w9QD4RPj4+lD1KPpI+',
  'jz4rPQs+wT5RPjg+tD0mPtO+wz5FPgA/L72FPgi+Fz4sPJ++Lz7CPtK9Ebw1Pp8+5rwWvs8+Jr9Zvka+qb4GviE+XD7mvQe/hz2Z',
  'PcM+SL6HvqA8Pr6Evg49nz5LvqU+iD0WP78+tby2vUY+m75ZvUc+Vz2Yvbs+1j7ovr8+wz5lvt89sD45vdK8hr3hvaE+Bj+1PoM+',
  '5j4xv+a8nr2/Paq+mD5OPo4+w74AvrM8dj29PbU+cD1uvkU8lTsRPUQ+9b3lPgY9Yr55Ptg6Yj5mvnA+aT46PeE+i72qvvM9VD4c',
  'PmI95T5Gvsu8hT63PcE7qT0yPjg+sj0CP8W+uj6QvkW9mT3vPTg+b71xvhM+xz4OPvO8mD6kPtG+kz1GvhM+pr7Evpg+ub7yPZ8+',
  'Br7ZvEA+uDuXvoa+mDwKvhK/3r2HPrw+HDzQPpo+ED8qvl++rD6NvjC+PD5VvrK9oD2kPfQ9Fr55PjU6cb5VPcg9J71VPh48IL0G',
  'Pk8+OT73PV2+Mj5WPe+9mT41vR++rD16PgS+yj0TPzQ+DD5RPic+tj75PX29lTwZPp898r1yPpI+rb7ivIu9bLwUPvO95j1dPau9',
  'uj6FPns+Wz5MPnm9xT0tPbe+Pz0EvnA+Mr7VPcU91jwTvua98zovPmG7mz5ZPgQ+07zYPAW/vr1xvq89OL6qvp4+z7yCPEW+jj51',
  'vl89bT6APps9/j4fvgy93T5xPhC9qD7QPog7+j3AvXK+tD1SvUk+qjzRvg2/KL1Qvj89PD75va8+qj33vX8+kL2Cvbs+PL6JvJm9',
  'ir5evRM+/z38PUq+wL0TPjW+m71+vjM+nb6vvKC9AbwEvFC+wr5WvoE+rjw+vty9Jr5fvkG+Kr6vPiQ+mT6WPqC+xb0hvqA+xz1M',
  'vr+9Iz5KPp++BT6xPmM+nz18PtS8WL4oPn495z4WPjS+Bb5FvXe9G7xavkW9A73tvFM9sr0evlW8Fr2OvSe+mL1NvUW9Nr2xve46',
  'prwaPYI9T76mvTQ9Vr0zPMG83L0SvSW+LjzDvQK9er4DvjE+zL2IvRK+17zhvRK+5L2APf08xzzEvdG92juYvdC94Tt0PYq9uDwt',
  'vXM8yj0XvJa9gb1IPhs9tj2NPt08EL1/Phm+FT2SvYI9PD2TPDQ81zvuPBo+ZL1cvRo+H76mvpY9rD4JvbW8hrxUvQc+/D25Pak9',
  'Uj6+PaU9oT1JOtK8OjuHu1g+RT0yPtu56L2BvRA+0z5pvRa6orwXvZy9BD6vPR0+Pj4Evho+QT0bvZa8RLzKvOY9nT2BPpM9mz0N',
  'Pog9Nj4oPko9fj0lPjg+Rb0IO0+++D2tPOA91j1wPYU9pjy2PW2+gLyuPQa9nj2EPTg+az0ivH09Fzy7PVU+iD0EPWA9pT4PPqG9',
  'jT5SPDw+iT2TPkE+wL1gvky+T76uOzC+0D2mvWC9Jb0Uvl++jj5IPRC9Yb4YPW67V76UPXQ9JT0EPl6+oL4AvpU9ojk3vhy+Lr1J',
  'PNE8ATp8PYq9br1WvVY8Xj6aPqM+qj01PV28nzx9PQk+hb27PQm9Rj5YPha+Ez7uvLu8Sbwjvca8ELyTPEW83DwWvPO9tzqRPWa8',
  'yTzPPI09wj5oPiy6oj5HPLs9+T1rvb68GLwiPcs9XT0KPnc+GT4HP948rD3UO0S8ObxjvbO9vL3pPSy8fT0yvL+9vD2xO2C8Ejsh',
  'vPq9mjyRvdy97bzOvUq+Kr5Evac7B72wvQQ+Ij4uPBg+Dz4qPsM+qT7gvAG8JrzyvCC+Sr1Vvus8Ub6AvLa9eTsQvUU93TsyPaS9',
  'LL0gvTa+nr2BuyG8VD1gOx49tjtDPQU9eb0Tvfq9Xz1/PmQ+Dj08Ply9Yz2wPR68Ab73PXO9uD0BvaW7mLsRvZC8j7yCvfO9+T3Q',
  'PSS+Wz0su6s7NT4QPps9fz07PpW9nr1wPsy9hb5+vAO+JL58Ox49iLu6Owg+s7yOPWs+pD3OPWE+Eb2JPRM9BT37PZI9v72WPrE+',
  'hD1qvQy9Lj6DPc076zyuPfc9RD2TPpk8wT2IPng7IT5rPnc9wD2UPt09gDysPV49iT4PvpQ8ajylOQI9ZTsKu/i9cL5VvDa9YL7e',
  'vTG8gr2QPY48uTw1PR4+9L0Ru1+9H74Qu1C+3z3SPGg8IjzQPKQ8eD5zPgc+rD30Owc9hz7zPHk8OjxQPTc+RrwLvTG8XT1FPkG9',
  'gz69PKQ6WDwKPZS9373FPc49sDyovUi9+b2yPI09JjxYPEW9Ez0mvmE+3T1/vZU+az5lvQ+9y7ykvYM99j0FPps8PD2EPZ68ED4n',
  'vEi8dLulvCc+Jz3RPr0747vNPRY+fz2Yvey8Jb0YvnO9zj3dPqy+pL02Pds9vz0kPVs9dDyRPdA9Hj41Phq9CL4dPik+ej4DPhc9',
  'TT0JPls+P72hPrC9RD3DPEO9gT66vOk8WLzUu389eD75PTm757zJPVo91D4/vI0+gT27Pqw+JbySPOs+aD6LvUA+vD4KvVw9Mbz+',
  'O8c9QL26vQc+CrzVPQQ/mj6xPOu85zrJvCw9/T1UPhA+K740Pkq9Cz74vAu9V7zyvGk+Sj4wPrA9Yz5xPrk9DT2KO+s8KTrjPFM+',
  'QrwuPr4+Tj1FviQ+nDuNvTG8kbzNvGY8ij7cPfo8mD6pvQW9WT4SPMO8PzspPJY+Cr3pPe+8Oz4/PpE9iD4NPiA9Yj0ZPiK+f7wW',
  'Pn699r0uvmC9Jj6gPa67jjxOO7+9RD2rvQ2+Yz12vSS9Qz1vPEO8dLkuvAs+MD4zvmu+5D32vWA+n72pNwM9Rzu5O4Y8J74iPt+9',
  'zTxgvsS9GrwSvCs+Zr3ivNW79zx4PIq8tT1+PRC+lj2qOjG9BTozvNG70D04vrI9DLumvb69aDuhvey8BL28vXC9+D0TPvO8mLtv',
  'PsK9LT0RPb48ozu8O8S9TjwtPkE9Br4du/+8aT3kvHS8NLzzvMi8/T3PPpw+l7wkPtY8v70xPs49jD1dPg+9RL6GvY+9j7xIvpw+',
  'ub0pPHa8uzk9vAW94D2mvCk9PD1Mvpq9Lj1qvYq92bzYvZw8kTwVPk0+JT7pvTy+e7wkPii9YT3qPVI+nj2QPZi+iT7FPa29pD2A',
  'PvS80j2SPoQ+Qrs/vTu+Rz7TPP68Jz3yPHK7GTzvPKs9nD6+Pe29Lj4CPrM9jj6NPEs8FTwKPQG9u7wnvsw8Lr3DvIS7rb0=',
]
