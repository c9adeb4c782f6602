// Written by `npm run bench:nca -- --steps 1000` (its flower.safetensors), November 2026: 3,148 bfloat16 codes, little-endian, base64.
import { fromBits, type Tensor } from '../tensor/index.js'
import type { NcaParams } from './ncaParams.js'

const [kernels, channels, hidden] = [3, 12, 64]

/**
 * An automaton that has learned to grow `drawPicture('flower')` from one cell, in 1,000 steps of `growth`: 12 channels, the three
 * kernels of a plane, alive by channel 3, half of the cells firing. Weights were rounded to bfloat16 once they were learned.
 *
 * @example trainedFlower().w1.shape // [36, 64]
 */
export function trainedFlower(): NcaParams {
  const bytes = Uint8Array.from(atob(weights.join('')), (letter) => letter.charCodeAt(0))
  const view = new DataView(bytes.buffer)
  let at = 0
  const next = (...shape: number[]): Tensor<'bfloat16'> => {
    const size = shape.reduce((n, length) => n * length, 1)
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
  'gL3+vU4+NDydPgI9V75TvJo+F76KPq69R74xvJo9f76luzS9az4WPlE+hz4NPve+Kj7pvWG+Jr43PW89fb2nvi2+/j2Cvte+',
  '0L2hPXi+Ob4Qvn8+LLyHvTi+Vz2mPGS+gDzQvZM7br4KvRu9Ob3Uvd++HD1Lvms+8jutvr2+Eb0/vdC9vb7LPZS9vj46vNi+',
  'l77MPpY9SL61vbM+ZL3SvpO8Gr5mPXK+Nj54vh2+OL49PaI+H771PF8+ez6Tvh2+Fr6Lvi0+Db4gPB2+YL5hPWs+Cj0/viA+',
  'Nj6LPTe+PD7UPXG9sj2mvs25Iz2KPjQ7jL2XvvO9Oz7ePAQ+Bz6XvnC9LT6vviy9jb1VPje+CrvkvIG+6b3pvfE+QDxyPLC9',
  'Fj5pPnW7pD10PU2+ib6jvVM+GT0Cv8y9br50Pbc80b1IvgO9fj67vRg/UL6VPHe8Ob22PVS9yz11vlI+xz7IPZ+++r0NvkK+',
  'kL5rvS++BLwOPue+SD3svRG+G75BvTW+9b0AvmO8tD2qPb69Nj1JPd69ar5IPL2+Ar0Kvo499j16vUo+FL6QPtG9Rb3zvum9',
  'Aj6Nves9NL4FvYm+ub0bvEQ+Eb7BvGw++DzLPao+1r11PKG+IL3SPfq9FDynvts9aL6jvXC9c7vuPfG97z1UPu+9fT42voe7',
  'hD0FPCI9UT2tPUE+Yr5Bvsg93j1RPZE++T2mvUO9Iz6WuwG+m76nPo49NT5XPiy8Qz7cPRm9bT4gPiW9iL4+Pms+bD7Vvai+',
  'lD4zvug9eT6cvqW9AL7mPMO9Hj63vNE9R70yvnK+Mz6Pvng+tT0EOxm+Cr6ovb4+gz7rvYM+4r1tPe89hz2UPt+9/T0dvty9',
  'GT2EPoW+RT5nPeG9rr4JPr29Uj7vPUy+p712Pnm+bL4wvQg917wQPiK9I76Wvce9bL6Tvu89Xj7pvA49QD5fvlS+Pr7LvFq8',
  'Lr6KPbm+HL1Lvo++nb0Dvoa9gb0GvpO+TD4LvTi+bT6bPdK9Mb61voK9u77IvhO+1b31vVC+87v1O4m9Oz1vvpG9xb1XPUM9',
  'Tz1dvg8+qT1ePSm83bwpPiA+cD34O489lr0EvgE+ab2hvk09ND6+PVG+QD7DvhE+vDydvma+kr7TvMU83b1QPJe8Ar4VvS0+',
  'BT4vvnk+bD7Mvqs9fz5qvR++2b5HveW9LL5qviC+570VvVS+lr4yvtW+wD14vSw+qr1JPkC9nr4RvkW9Hb66vZq8irvfvRW+',
  'lL7dPYg+OD5cPgg9tb6PvW69Hj1avpS+Jj0uva29FD1PPSY+Sj7Svfi9NTvpvY+92TwKvsW+ODx0Pvs9wz2APhE+1L4GvkU9',
  'jb2hviM+H73EvdI9gzxmPSC8wT3QvUo+jL4VvaU+Yb1KviM6BD4bvaK+kr1ePQm+Kz6cPZ29Dz5aPhI+Y77fPZe9Gj6Gvds9',
  'er6IPPc9ND4vPg8+GL4NPVW+ET0jPjo9tL0bvRe+ib78vAC+N705PJC9c71VPTK+tr0tPiQ+jL5lPXq+Qz46vi2+ULysvta9',
  'w71TPla9YD0vPhi+lr4cvYm+iL1HvqI8cr59vTO+Fj6WviM9h71ivBi+I76gvgO+Jb4Qvne+7L1jPuy86r04vpI+g765PYE+',
  '1T17vYg9W77yPcS8zj0EPRW+fr7LPYI+aL0pvZo9Xj7GPpm9XL62vQK9HL48vVw+uj0fPgm+kL20PZ++HD7lvYK+l74tvrq+',
  'RT4yPi29kb2dvXc9kT6wPoS+wTxgPoO+y70cPaq+PT2ovKc8hr4qvue9mb3mPXY+/DwLPjg8TT65vC6+sb0gPac6yj3IvZW+',
  'Vj16vSW+Zj7qvSg+/r0vvhE+g7zkvOq9XDznvEO+oTs0Ooi9ND7pvVe+Dr6zPVe+Eb4Kvhm+qD2lvpS9cT5DPZc9cr2YvVu9',
  'lryVvZ4+lr1YODG+lT67PJ+8E730PUY8ST4pvYa9WL7VvPi9ST7yvZg8MD4Gv7g9Qb5pvlu+Dr5gviQ+8T2Jvk++X71Rvtg9',
  'Cj1dvuO9NL4mPpM9Gb4svi++Hb69vAc87b3yPhC+Dj4MPZa9L71qvQo+yb78vYC9jL6xPuc9Er3GvoA+oj2evsg9rD5vvia+',
  'FT6RviS+bz0bvqO9Yr7bPsi9eL6lPda98706vui7+z2BPhu9G747Piw+BD9iPR88pb3OPii7rj6dPug9Mj7WPJ29QT2EvrG9',
  'cL0NvpG9Lz5pPjQ+R759Pg89ej6evW2+KL5lvU6+pjzwPVC9rbyvPfi9hD6Tu/e8vz4Lv349Ub58vs4+I750Pp2+zb28vbc8',
  '7T2RPtO+Wb6jvk8+sz4evpG9yL22vb2+2D3Tu8q+cTydvek9lj1PvsY8WT5IPtc9bj4UvrS+Xj6KPqa+kz0Bvps9Fz7avpW+',
  '7r2bPZy+N77pPlo+E77PPAA9Mj1mvcO+dj3rPTE+cj7GvYI+Bzxuvb49ob2+vMA+M76jPCo+Yj4GvoA+iT7JPSK+G75APo0+',
  'CD4IvtY9dD5Nvra+Rr7SPmO9lD2vvJg9kz1JPjU+OL7zvWs+kz6BPIq9JT00vkk7zz0ePjQ+uL1XPoc+Lj5HPpu8BT4pPWA+',
  'CD4gvhW+ur1iPQu+7r3mPeg+wb34ves86z00vgg+arxHvVs+pb0uuiG8gL1nPTE+V7uEvh69yL0ePpc+Zb2LvW89Ib5KPTm9',
  'h71KPsI9CL/1vEC+FD6ivqg9vT66veG9hz4VvhS+dD2iPp0+KL39PS89Cz5pvok+1r5uvo+9Aj40Pum9Ub2DPg8+hD2avq4+',
  'ob2qPhA+3L0rPqG+FT7QPjQ+0LwrPAI+tT6vvIA+cj3pPXY+9r2jPpk+0r2sve+++z5fvuo9ZD21PgU/fL0Dv849PD7/vAc8',
  'DL5+PkM+VL5bvoy+h76ovpk9770ZPmY+mj6VPTW9Jr4Lvsa9AT5ivaY9aj7tOyY+IT7/vVw8Vj4bPhs+6bn/u+u9PTwXPkU+',
  'xD6cPvk8RT53Pd48nLwtvs08ez5IvRS9HD5sPh89xDwDPpS+hz2bvjC+ET51vh69BD6bPTw+bz7SPmm9szzEvQK+FL1yvti+',
  'UD2EPro9Oz6tvUq9Nr4JPv29Xj3SPQo+m76Vvuw91L5Tu+Q9hj5uvrI9aj6dPvi9Kb2rOU0+mb3dvQ8+Qj5IPsA9qr3LPok9',
  'nbwQPvE9l73hPky+Sr4wvjc+MD6jPky+uz0OPn09Jr5OvYe+YD2hvU2+8D2pPYy9qb2ZPam8pL5ePtI9qbyOu3q9Rr37vWU9',
  'wr5QPum8Fj6DPg8+nT4yvpA+LT6sPg673z23vfm98bzWPbY+Tz4HPjE9vr2qPmu+mr1AvmI+Xb7pPda8lT42PnA+xr6kvpy+',
  'LD5xvrQ+yL4IPjM+Pz0IvnC93z1gvmU+vL3PPnQ+fj6HvQM+C78aPlw9T715PVQ9AD1TPtK9QD7RvmW8iz0MPio+oD6xvtQ8',
  'RT4Qvtm+WD6lvAk83DvWvSo+wL2xPq49vj4APSw+FT6dPq48yL0DPS6+DT6VPj8+7j4yu9m9HT4Zuyq+qT6SPpY+ATrbvYo8',
  'f7owPhi+5j5Hvjo+9j3uvT+9w7vivsG+T7z3PUU+Wz6BvXQ9tb0tPmO+CL6hOxu+4r3FPSq7E7+UPn4+dL2NPga+ID4BPpi8',
  'Ar3dvTe9ij7YPBo+N74uPpG+BD4fvtk9IL7uO3g9c72VPT+78r4fPpA8Xj40vqE9Sj4NvBU+Az2Wu6c+/T1pvYM9Qz6mvZg9',
  'AT7Svp28DD69vRi+e75DPlc9oT4GPRk+Lb5evjo9ez4Xvg29yTyru4A+HL7nPUi9bD5CvhE9x70svg6+kD7/uyg+aj14vv29',
  'wT14vj6+Zj0VvtE7oD7bvQQ+gb2cvri+UT5EPWA+gr7vPIM+AT6gvuI9PL6qPSY+pD2PPQG+OryoOrS+1D19vp8+kb7LvdY+',
  'jbzKvV09iT4Wvp6+ZL7IPbc9szzdPJO8Wz5ZPb49zD0EvtG9Rz6ePaO+wL6svXU+iz7LPt29PD6JPnm+ZD7yvRY+vT4XPh++',
  'zT2Dvgo9SL7kvIa+iTsCvhg+Oz7wPXS+VD4zPiQ9DD5LPa+9sr0CPoo9x77dvSm+Fj5IPkG+3L2EvqA+xTw3vVA+Tj6vPQ8+',
  'AL0Pvg4+E79Pvng+0TsBv0c+RT2DPk+9Yj6iPfC9gb4ovD+9Ob2zPr+9Mr6oPZ48yj7vvWG+8jq5PQC+H700vYa95b3WvdU6',
  'uz1evvE8Sr4ZPt2+Zrp6PUO+ar2Dvbw9PT6QvZU9Oj2sO6I+CL4tPoi9OD7iPQ28yz1vvZM9ar4Bvia8jz4Jvsi+KD6aPt69',
  '+j2pvJU+sD0OPSk8Qj3vPJk8qz6/Pck8bD37uRI+ID1+vWE+tryqu3U+or7Evse9Dj5IvTU9kD6+vjw+yj4AvwO+SD60vmW9',
  'Mb6bPo69qryZPj2+gj07PmQ+Jr2KvaC+N74mPpU+LT12Pmq+qj5TPdS9Rj4hvki+jzyePW09Wb4bPlM+iTxfPhk9kj3vuxE9',
  'Kb7ivJo+Sz7APKQ+Iz4bvgq9l72Bvig+0L4APZo9kDwFPnm+B71+voo++zyLPli+F76lvRa+L76Kvdu6u76ZvnK9TD4kPme9',
  'fj7TOhM7m711Pl+9Fj5pPkm9YD1EPgW+db1tPhq+Fr2WPha+xTvCvfq9k71LPiE9HT7wPQw+Wr7BPai9uT1LPsM9GD7HPRM+',
  'Ir4VvpY9GTydvWq+kr6RPZq8Cb4evjA+gT5Vvc4957wdvow+Lz4VPnO8pTuAvsu+cz2ovb0+fjyHPrQ96j4MvCg+Mr6iPsg9',
  'hb4gPmq+ur3UPfI94zw6PPK9NT5pvZ8+yL09PiA+hT40PpG9hT1kvZ8+yTgNvDU+hL6tPge+mL60PTI+Ib5BPuI+Ub6fvgw/',
  'tz1FvRG+jzyPPY08nj2UviO8OL3gO+q8gD5GvgI/V75gvq8+Qz44Pi0+Jz6iPrm9nD4mvpM+oL4jvlE+tD5uvYk+pD4Pvju+',
  'ij4yvou9dj5qvBA+kD0cPiw94bq1PcW8jD6QPeK9GL2MPmk+X7xCvcu95j7jPY4+uD3bPrq9dT5qvo2+Eb5/Pfo9mrwRvo69',
  'uD2nvXs9Mb0FPj6+Nj2nvgO/jj6GPrE+nT1tPvI9hD62PRC+Zr2XPim+gT3qvRq++L1HPme9Zz1gvEC9jr6KPiw9t72KPTo+',
  '2TveO0o+/D2HPsk+9j6IPb091T6CPgW+Kz2mPa2+3T4OPvs+0L2BPmK+ab16PNi+Rz6hPgS++jyGPrY+Pb0LvvU+EL+4vjO+',
  'fr7XPcg9BT4TPtS8Jz13PYU+Or7Avfc9lL4lvp8+oz5CvrU+oL0RP+A+t7wSvk4+ur5zvrq9ZT6Avos+RT6CvtE+hT6Svso9',
  'nD7APMC9Kr2FvcU+6T6vPgw/4z4bv4M+DD6gPTO+vD7YPZM+474pvgy+7ryqPTo+7j2dvR0+5jwJPow+6j3jPis+sb10PoY9',
  'lz49vtg+Fz4NPtY+zb1Yvlo+gz6SPv67iz6oOkY9lz5MPVq+d709PmM+rL0WPcW+hT44vqy9Rj6QPBc+kb6dvnc+2z6hPco9',
  'PT6gPhG/Pz5WvkY+t77BvpI+AL5fPoU+hL5KPSE+pz68vqu+5TzJPcC+3L1HPos+CT02Pms+8D74vY29pz5jvdi+jD5Rvfm9',
  '7ry+PZo+PL7GPv89Ab5YPZk9wL5uPtG9OT6aPjI+GjvwPTO+KD6CPjS9nz6mvZO+fD5RPh09KL3sPBQ9X750PlU+sD6ZPRO9',
  'G76/PQY+h77oPVE9E74uviy+xL2/vrU9Sz3KPGy9fz5uPq0+ED5/PqC9Ij0CPpm9ZTxjPqI+rb2zvZq9S70BvoS+Pz0BPj09',
  '3j3SPg4+K74kPqC+fb7Evbk8V75ovmU+9r0avci81j2WvSG9sT25PgM9pj5+vRM+vT4cPqi+ZD6/Piq8Bj24PXs90D1Jvtm9',
  'Bz3WvjC9L72YvjA+jz4cvs4+Bj5Svr4+ZL2zPNM+Kb16vQY+o74JvgM+Djy2PQW+7701PRK+bb2Kvvs9Hb7zPIG+Gj7yPSm+',
  '5L6Ivrc+oz1mvom9Qbtevuy93btCPo4+RT6hPqq+AT6Cvig+Zz5wvtq9lT4qPoa+dT6yPvs81LuBPuy8ZL46PuW88j4BPne+',
  'n71kvLC9nL1/vYe9cTzwvAM9ljwivks8ez2qvee837w0vJC8Ir0Qvnu8YzurPPM83b0VvqM9zDzMvN474LsGveq9jz1Uvbu9',
  'jr0wvcQ9Jb1yve69ljwRvZg6ab2yPaK7jbxwvT083z3kvQe7EL77PIG9ej2UvMg98z1cvZu8lDvrPQ09KT0LPjc9Qz0gPoq9',
  'Hz3KPL89cT5OPUc8Fzx+PTI95zy7PQE97b3UvSc+Sz7PPKM89jwpPAw9AT7gPSQ+Wz2dPX081j1lPPm84DusPLU9/jwWPg06',
  'Bz1qvRs+dT6IvCY8QTxwvJo8QTy9PDk+Aj5IvVM8JD5fPJy8Ury7PHg9jL1aPoW9GbyiPGM9Az5MPgU9mz0QPjY+Oz2kPNO9',
  'JD38PAs+7j0cvcc8o7z8vHq9KL2mPbO8BD0bPXI9Ij0XvcU7I71AuQE+Hz1DPe89fT47PpM9Tz75PUe8gT3OPQo+Cz2sPVG+',
  'Az2Zu6i9Cz3EvWe9IL0JvvC9Az6oPIq8Mr7SOym+Bb6JPU09VD34PVa+U77hvSw8gT0nvei9hL1TPIM6cL2bO0M9obzlvXE9',
  'jj6SPhg+lzvdvLe8zLwVPbs9+D3wPY89+T32PRS+JT6avI+8BzugvKW8gL00vW69rbzbvOW9JDyIPT89ijxePVS7OT4xPRU9',
  'MD7RvRg92z0mvEi7pbwnPdo98z0MPoY9Y7yBPjQ9Rj41uhu8prwqvZy9T70yvBC9JL1tvR+9Rzy7vKQ7BLvXvAW+0DwPvvG9',
  'XT3wvZC9A75XvdC8Xb3XvSc9Fz5CPTY+3T0CPoA+fT07vXe9t7xnvVm+7b3MvXe9CL63vAO97L2Mulk9kDx3Pfm9Gr6BvZW8',
  'xzwzvBe8IryJO6w8gjx3PcU9a71Zuwy+qTzxPRw+crpRPYi8CT0BPc287z2FPcO7Mbx/O9q8wT0oPHS7K7tVu569kL0LvN29',
  'gD0aPYi8MT53PTa9nzyFPKM83D0TPim+yD2wvFU8UjsjPRQ9Pz2gu2Q+uDvoPZE+TT0VPl4+mTyEPSw9TT0XPiK9lTz1PTA+',
  '4LynvWs8rz36PJs887tiPVc95T0KPps9xD3cPQY+RD4HPrU8Gj0DPu28vD3dPbQ8rjpiPIk8SD5pPNA8ZDzGPIG9mr2vPOk6',
  'jb1VvYu93bw0PYU8EzwaPco9XL1YvH+9xTxGvWK9HD3ZPCQ9vTwgPLO8Mz7LPaM8pT22vIU9Kj53PFo95juLPfs94bxGvW67',
  'xr2fPUm9yT0FPQI7ibyGPHO9Jr5mPHg8XbxWPO+9F74TPIW8Jbxgvd67PT6KPIo9ij2OPIs9Fj58ucI8QL2SO/k9+DxzPQq9',
  'Aj6HvEw9yT3kPFo8DzzFPIU9DD50Poa9Rz3gPF49lj0gvbA8uryZvSg9Pj2NPjm+Wr6Xva09yT1hPVE8l7t2PXI99j04Pus8',
  'Mr2tPeQ9Yz6hPc+8sjy0PRg+fj1IPgE+Nj1hPTQ9jT4mvVE8/LxPvRo9WD7LPRA90jynvOy6nz6OO34+Fz2TPsY95LyFvdE+',
  'kz4wPWQ+iD45vIa8KjyQvB0+pD2EPX08ErwrPKQ+aT68PX88Qj2cPZs9Kz3kPTA+czyoPZw9pz0QvZK86LzpvAY+Ij4YPu09',
  'hjuNPYo9ET0kvLw8ir1wPWQ+FLzDPZU+r7zqvWY9xLpLvTe9m7yBvTK8QD4jPTM8SD1wvfO6OD5QPLe8gzySOyw+Dj2OPX28',
  'az0aPQ0+Iz6cPTE9wzzEPY29tT36PUi8XTrXPIk9ID6SvAQ8pTyOvGC99D38vPW9FDx3PMk9ED0PPYA83TwKPCg9vj0Svrm9',
  'TD7BvSg+3zwHPIk8DD1QPHy8HL6VOwm+hjw7vgG+LbxoPde61jziPVM9mj36PX09Yz2DPX487D21vMY7O7xBvUA9Xz2UvYO9',
  'RT2BvDC7mz3vvBa9IryPvcY5+T2KPYq6ID6APTu9tj1IPGY9srsIvXW9vj2CPJu8i7yBvde81jwzPKk84Dxfu3Q9/Ty7Pok+',
  'krwkPiG8oL06PpU9DbsHPo290724Pb89GT2BvhA+yToFvWq9/DsKvPM6NT5CPCY7Vj0Evi29wDxdvRS9Gr24vXU7kTsHPiI+',
  'lD0JPRa95j3lPdg9pz0tPn49nz2vPQi9iD3RPSo+CT6bPYg9qjsQPjA+yrtNvT+9kj6gPgY9yz15Pfw8/DyHPYY9TT7GPT+9',
  '+D0mO+M9hD3bO425FjxHPI69OrvuvXu8fr29vLG8vb0=',
]
